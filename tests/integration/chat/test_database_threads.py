"""Those who speak have the database in turn, and nobody waits for the one who takes long."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from chat.answering import DatabaseThreads
from tests.acceptance.processes import ROOT
from web.errors import NotFound

LONG = 3  # that hold a lock at once
# The one who speaks is a thread that ends with the process; the work is not over when the process begins to end.
ENDING = """
import threading, time
from chat.answering import in_database_threads
begun = threading.Event()
def keep():
    begun.set()
    time.sleep(0.5)
    print("kept", flush=True)
threading.Thread(target=in_database_threads, args=[keep], daemon=True).start()
begun.wait()
"""


@pytest.fixture
def held() -> Iterator[Event]:
    event = Event()
    yield event
    event.set()


def test_waiting_for_a_lock_does_not_block_others(held: Event) -> None:
    in_database = DatabaseThreads()
    with ThreadPoolExecutor(LONG + 1) as speakers:
        try:
            long = [speakers.submit(in_database, lambda: held.wait(60)) for _ in range(LONG)]

            assert speakers.submit(in_database, lambda: "kept").result(30) == "kept"
            assert not any(one.done() for one in long)
        finally:
            held.set()
        assert all(one.result(30) for one in long)


def test_an_error_reaches_its_caller() -> None:
    def gone() -> None:
        raise NotFound("It is gone.")

    with pytest.raises(NotFound, match=r"It is gone\."):
        DatabaseThreads()(gone)


def test_an_ending_process_finishes_its_running_jobs() -> None:
    told = {**os.environ, "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"}
    script = f"import django; django.setup()\n{ENDING}"

    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=told | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.strip() == "kept", done.stderr
