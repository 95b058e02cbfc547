"""This process's shares of the rate limits, counted down in memory for all its threads."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from django.db import DatabaseError

from config.postgresql.sessions import DISK_FULL, READ_ONLY, sqlstate
from config.rates import Rate
from web.rate_windows import Grant, take_share

_LOCKS = 64
_TIDY_AT = 4096  # counts, at which those of ended windows are removed


class Verdict(NamedTuple):
    """Whether a request may pass, about how much is left of the limit, and how many seconds its window lasts.

    `first_refusal`: the first refusal by this process in this window.
    """

    name: str
    rate: Rate
    allowed: bool
    remaining: int
    seconds: float
    first_refusal: bool = False


@dataclass(slots=True)
class _Held:
    """A share. `left`: requests this process may allow; `untaken`: not taken by any process yet, as far as known.
    `ends` is monotonic."""

    rate: Rate
    window: float
    ends: float
    left: int
    untaken: int
    refused: bool = False


class RateCounters:
    """Shares of the limits, by key or token. `take` queries the database only when a share is used up."""

    def __init__(
        self, take_share: Callable[..., Grant] = take_share, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._take_share, self._clock = take_share, clock
        self._held: dict[tuple[UUID, str], _Held] = {}
        self._tidy_at = _TIDY_AT
        self._lock = threading.Lock()
        # One thread takes a share while the key's other threads wait for it; otherwise each would take one.
        self._asking = [threading.Lock() for _ in range(_LOCKS)]

    def take(self, holder: UUID, name: str, rate: Rate) -> Verdict:
        """Count one request. A refused one is not counted, and further ones cost no statement until the window ends."""
        verdict = self._of_held(holder, name, rate)
        if verdict is not None:
            return verdict
        with self._asking[hash((holder, name)) % _LOCKS]:
            verdict = self._of_held(holder, name, rate)
            if verdict is not None:
                return verdict
            asked_at = self._clock()
            try:
                grant = self._take_share(holder=holder, name=name, rate=rate)
            except DatabaseError as error:
                if sqlstate(error) not in (READ_ONLY, DISK_FULL):
                    raise
                return Verdict(name, rate, True, rate.quota, 0.0)  # no writes are possible: not counted
            return self._of_grant(holder, name, rate, grant, asked_at)

    def _of_held(self, holder: UUID, name: str, rate: Rate) -> Verdict | None:
        """Decide by the present share; None: another one is needed first."""
        now = self._clock()
        with self._lock:
            held = self._held.get((holder, name))
            if held is None or now >= held.ends or held.rate != rate or held.left <= 0 < held.untaken:
                return None
            return _count(held, name, now)

    def _of_grant(self, holder: UUID, name: str, rate: Rate, grant: Grant, asked_at: float) -> Verdict:
        """Add a share to that of the same window; the rest of an earlier window's is void."""
        ends = asked_at + grant.seconds_left
        with self._lock:
            held = self._held.get((holder, name))
            if held is None or held.rate != rate or held.window != grant.window:
                held = self._held[holder, name] = _Held(rate, grant.window, ends, 0, 0)
                self._tidy(asked_at)
            held.ends = max(held.ends, ends)
            held.left += grant.granted
            held.untaken = rate.quota - grant.taken
            return _count(held, name, asked_at)

    def _tidy(self, now: float) -> None:
        """Remove ended windows. Next at twice the number that is left, so that the cost stays proportional."""
        if len(self._held) >= self._tidy_at:
            self._held = {key: held for key, held in self._held.items() if held.ends > now}
            self._tidy_at = max(_TIDY_AT, 2 * len(self._held))


def _count(held: _Held, name: str, now: float) -> Verdict:
    if held.left > 0:
        held.left -= 1
        return Verdict(name, held.rate, True, held.left + max(0, held.untaken), held.ends - now)
    first, held.refused = not held.refused, True
    return Verdict(name, held.rate, False, 0, held.ends - now, first)
