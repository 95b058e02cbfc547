import os
import subprocess
import sys

from django.conf import settings

ENV = {"PATH": "/usr/bin:/bin", "DATABASE_URL": "postgresql://nobody/none", "RAPPORT_SECRET_KEY": "s" * 64}


def test_whoever_reads_no_further_sees_no_trace() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "manage.py", "recipes"]
    ended = subprocess.run(
        command, cwd=settings.BASE_DIR, env=ENV, stdout=writing, stderr=subprocess.PIPE, timeout=60
    )
    os.close(writing)

    assert (ended.returncode, ended.stderr) == (1, b"")
