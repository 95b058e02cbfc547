import json
import os
import subprocess
import sys

from tests.guards.sources import CODE, ROOT, python_files

# What a supervisor has loaded before it forks.
LOADED = """
import json, sys
import django
django.setup()
from worker.supervisor import WorkerSupervisor
WorkerSupervisor(grace=1.0, revive_database=lambda: None)
print(json.dumps(list(sys.modules)))
"""


def test_what_tasks_run_is_loaded_before_the_pool_begins() -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [sys.executable, "-c", LOADED]
    told = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)

    with_tasks = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for file in python_files(*CODE)
        if "\n@task\n" in file.read_text()
    }
    assert "memory.tasks" in with_tasks
    assert with_tasks <= set(json.loads(told.stdout.splitlines()[-1]))
