"""Let other processes go first where all want the processor."""

import os
import time
from contextlib import suppress
from pathlib import Path

_SESSION = Path("/proc/self/autogroup")
# Without root's rights the kernel takes ten changes a second, of the whole machine.
_TRIES, _PAUSE_SECONDS = 20, 0.05


def lower_session_priority(by: int) -> None:
    """Give our session this niceness, if we lead one, as with systemd or `setsid`.

    With autogroup (sched(7)) Linux shares the processor among sessions first, so a process's own niceness counts only
    within its session. Does nothing elsewhere, or in a session that others lead, such as a terminal's.
    """
    if os.getsid(0) != os.getpid():
        return
    with suppress(OSError):  # no Linux, or no autogroup
        for _ in range(_TRIES):
            with suppress(BlockingIOError):
                _SESSION.write_text(str(by))
                return
            time.sleep(_PAUSE_SECONDS)
