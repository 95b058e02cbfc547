"""Limits a process's parallel calls to a provider, and stops them while the vendor says to wait."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from time import monotonic

from providers.errors import HeldBack, RateLimited

LONGEST_PAUSE_SECONDS = 600.0  # whatever the vendor says
# If the vendor names no time; doubled by each refusal in a row.
_FIRST_PAUSE_SECONDS, _LONGEST_GUESS_SECONDS = 1.0, 30.0


class CallLimits:
    """The limits of one provider. A refusal holds back all callers, so that they don't each get one."""

    def __init__(self, most: int, *, clock: Callable[[], float] = monotonic) -> None:
        """`most`: parallel calls; 0: any number. `clock`: in seconds."""
        self._clock = clock
        self._slots = threading.BoundedSemaphore(most) if most else None
        self._lock = threading.Lock()
        self._resume_at = 0.0  # monotonic
        self._refusals = 0  # in a row

    @contextmanager
    def call(self, *, patience: float) -> Iterator[None]:
        """Wrap a call. Raises HeldBack instead if it is too early for the vendor, or if others make all the calls that
        are allowed for `patience` seconds.
        """
        self._require_leave()
        with self._slot(patience):
            self._require_leave()  # others may have been refused meanwhile
            try:
                yield
            except RateLimited as error:
                self._hold_back(error.retry_after)
                raise
            self._refusals = 0

    @contextmanager
    def _slot(self, patience: float) -> Iterator[None]:
        if self._slots is None:
            yield
            return
        if not self._slots.acquire(timeout=patience):
            raise HeldBack("Not asked: as many calls as are allowed at once were under way.")
        try:
            yield
        finally:
            self._slots.release()

    def _require_leave(self) -> None:
        left = self._resume_at - self._clock()
        if left > 0:
            raise HeldBack(f"Not asked: the provider said to wait, another {ceil(left)} s.", retry_after=left)

    def _hold_back(self, retry_after: float | None) -> None:
        with self._lock:
            if self._resume_at <= self._clock():
                self._refusals += 1
            guess = min(_LONGEST_GUESS_SECONDS, _FIRST_PAUSE_SECONDS * 2 ** min(self._refusals - 1, 10))
            pause = min(LONGEST_PAUSE_SECONDS, guess if retry_after is None else retry_after)
            self._resume_at = max(self._resume_at, self._clock() + pause)
