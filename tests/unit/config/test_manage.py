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


HUNG_UP = """
from django.core import management
import manage

def command(words):
    raise BrokenPipeError("it hung up")

management.execute_from_command_line = command
manage.main()
"""


def test_another_pipe_that_breaks_is_told_as_what_it_is() -> None:
    command = [sys.executable, "-c", HUNG_UP, "help"]
    ended = subprocess.run(command, cwd=settings.BASE_DIR, env=ENV, capture_output=True, timeout=60)

    assert ended.stderr.endswith(b"BrokenPipeError: it hung up\n")


INTERRUPTED = """
from django.core import management
import manage

def command(words):
    raise KeyboardInterrupt

management.execute_from_command_line = command
manage.main()
"""


def test_a_command_that_ctrl_c_stops_says_so_without_a_trace() -> None:
    command = [sys.executable, "-c", INTERRUPTED, "help"]
    ended = subprocess.run(command, cwd=settings.BASE_DIR, env=ENV, capture_output=True, timeout=60)

    assert (ended.returncode, ended.stderr) == (130, b"Stopped.\n")
