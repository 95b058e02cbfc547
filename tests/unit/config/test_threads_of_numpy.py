import os
import subprocess
import sys

from django.conf import settings

COUNT = """
import config.settings
import numpy, os
numpy.ones((500, 500), dtype="f4") @ numpy.ones((500, 500), dtype="f4")
print(len(os.listdir("/proc/self/task")))
"""


def test_a_process_multiplies_in_the_thread_that_asked() -> None:
    """Those of OpenBLAS spin while they wait for one another: handing a turn over took up to a second."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", COUNT]
    told = subprocess.run(
        command, env=environment, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
    )

    assert told.stdout.strip() == "1"
