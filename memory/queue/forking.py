"""Child processes of the worker. Its parent holds no thread and no connection, so it may fork whenever it
must.
"""

import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import structlog

log = structlog.get_logger(__name__)

_OUR_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


def fork(target: Callable[[], None], *, name: str) -> int:
    """Run `target` in a child that leads a process group of its own; the child's number."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    pid = os.fork()
    if pid:
        with suppress(OSError):  # the child does it too; whoever is first
            os.setpgid(pid, pid)
        return pid
    status = 1
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        for number in _OUR_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        name_process(f"rapport-{name}")
        target()
        status = 0
    except Exception as error:
        log.error(
            "a process of the worker failed",
            event_name="worker.process.failed",
            process=name,
            error_class=type(error).__name__,
            frames="".join(
                traceback.format_tb(error.__traceback__)
            ),  # not its text, which may quote a person
        )
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)  # never back into the parent's code


def name_process(name: str) -> None:
    """What ps, top and the drills call this process (15 characters), where the system lets it choose."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(name)


def share_memory_with_children() -> None:
    """Call once before the first fork: what lives now is left in place, so that children need no copy of it."""
    gc.collect()
    gc.freeze()


def kill_group(leader: int) -> None:
    """Kill everything in a child's process group; nothing happens if nobody is left."""
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
