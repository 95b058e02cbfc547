"""Remembers which calls keep Python busy, so that those of one client can't slow everybody's."""

import re
import time
from collections.abc import Callable
from threading import Lock

GIVES_WAY_SECONDS = 0.01  # of a processor; contexts take less
LINES_UP_SECONDS = 0.1
REMEMBERED_SECONDS = 30.0
_MOST = 10_000
_PARTS = 5  # of a path that tell the call
_ID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)

Call = tuple[str, str]


class Computing:
    """How long calls computed lately, by client and kind of call. Thread-safe."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._known: dict[Call, tuple[float, float]] = {}  # seconds of a processor, and when that was noted

    def note(self, call: Call, seconds: float) -> None:
        """Note a call's seconds of a processor; one that computed for longer lately stays known."""
        if seconds <= GIVES_WAY_SECONDS:
            return
        with self._lock:
            if seconds >= self._seconds(call):
                if len(self._known) >= _MOST:
                    self._known.clear()
                self._known[call] = seconds, self._clock()

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
