"""Remembers which calls keep Python busy, so that those of one client can't slow everybody's."""

import re
import time
from collections.abc import Callable
from threading import Lock

GIVES_WAY_SECONDS = 0.01  # of a processor; contexts take less
LINES_UP_SECONDS = 0.1
REMEMBERED_SECONDS = 30.0
_RISING, _FALLING = 0.5, 0.05  # what a call counts in the average
_FORGOTTEN_SECONDS = GIVES_WAY_SECONDS / 2
_MOST = 10_000
_PARTS = 5  # of a path that tell the call
_ID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)

Call = tuple[str, str]


class Computing:
    """How long calls computed lately, by client and kind of call. Thread-safe."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._known: dict[Call, tuple[float, float]] = {}  # the average, and when it last changed

    def note(self, call: Call, seconds: float) -> None:
        """Note a call's seconds of a processor. The average rises fast and falls slowly, so that short calls in between
        hide no long ones, and a single one, such as a pause of Python's, is soon forgotten.
        """
        if seconds <= GIVES_WAY_SECONDS and call not in self._known:
            return
        with self._lock:
            known = self._seconds(call)
            average = known + (seconds - known) * (_RISING if seconds > known else _FALLING)
            if average < _FORGOTTEN_SECONDS:
                self._known.pop(call, None)
                return
            if call not in self._known and len(self._known) >= _MOST:
                self._known.clear()
            self._known[call] = average, self._clock()

    def gives_way(self, call: Call) -> bool:
        return self._seconds(call) > GIVES_WAY_SECONDS

    def lines_up(self, call: Call) -> bool:
        return self._seconds(call) > LINES_UP_SECONDS

    def _seconds(self, call: Call) -> float:
        seconds, noted_at = self._known.get(call, (0.0, 0.0))
        return seconds if self._clock() - noted_at < REMEMBERED_SECONDS else 0.0


def call_of(client: str, method: str, path: str) -> Call:
    """The call that a client makes, without IDs and names."""
    return client, f"{method} {'/'.join(_ID.sub('', path).split('/')[:_PARTS])[:200]}"
