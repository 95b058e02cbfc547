import json
import os
import signal
import subprocess
import sys
import time

from django_q.conf import Conf

from config.supervision import Child, kill_group
from tests.guards.sources import CODE, ROOT, python_files
from tests.waiting import wait_until
from worker.supervisor import WorkerSupervisor

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


def ended(supervisor: WorkerSupervisor, child: Child) -> bool:
    supervisor._reap(time.monotonic())
    return child.pid is None


def test_a_pool_that_ends_again_and_again_is_counted_and_never_called_well() -> None:
    supervisor = WorkerSupervisor(grace=1.0, revive_database=lambda: None)
    supervisor._pool = pool = Child("pool", lambda: sys.exit(1), free=2)
    supervisor._children = (pool,)
    page = supervisor._stats.page

    for _ in range(2):
        supervisor._tend(pool, time.monotonic())
        supervisor._look(time.monotonic())
        wait_until(lambda: ended(supervisor, pool), what="its end")

    supervisor._stats.close()
    assert (page.pool_restarts, page.pool_well_at) == (2, 0.0)


def test_it_looks_at_a_pool_often_until_that_is_whole() -> None:
    supervisor = WorkerSupervisor(grace=1.0, revive_database=lambda: None)
    supervisor._pool = pool = Child("pool", signal.pause)
    supervisor._children = (pool,)
    supervisor._tend(pool, time.monotonic())
    assert pool.pid

    supervisor._look(time.monotonic())
    beginning = supervisor.tick_seconds
    for slot in supervisor._stats.page.slots[: Conf.WORKERS]:
        slot.pid = os.getpid()
    supervisor._look(time.monotonic())

    kill_group(pool.pid)
    wait_until(lambda: ended(supervisor, pool), what="its end")
    supervisor._stats.close()
    assert beginning < 0.2 < supervisor.tick_seconds
    assert supervisor._stats.page.pool_well_at > 0


def test_a_pool_that_its_watchdog_ends_is_counted_once() -> None:
    supervisor = WorkerSupervisor(grace=1.0, revive_database=lambda: None)
    supervisor._pool = pool = Child("pool", signal.pause)
    supervisor._children = (pool,)
    supervisor.tick_seconds = 0.01
    supervisor._wake, writing = os.pipe()
    page = supervisor._stats.page

    supervisor._tend(pool, time.monotonic())
    page.slots[0].pid = 999_999_999  # it was killed
    supervisor._look(time.monotonic())

    supervisor._stats.close()
    os.close(supervisor._wake)
    os.close(writing)
    assert (pool.pid, page.pool_restarts) == (None, 1)
