"""What this process may still let through of each limit, counted down in memory and shared by its threads."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol
from uuid import UUID

from django.db import DatabaseError

from config.postgresql.sessions import DISK_FULL, READ_ONLY, sqlstate
from config.rates import Rate
from web.rate_windows import Grant, take_share

_LOCKS = 64
_TIDY_AT = 4096  # counts held, of which those of ended windows are then forgotten


class TakeShare(Protocol):
    def __call__(self, *, holder: UUID, name: str, rate: Rate) -> Grant: ...


class Verdict(NamedTuple):
    """Whether it may pass; how much is left of the limit, about, and for how many seconds its window still runs.

    `first_refusal`: nobody was refused in this window by this process before.
    """

    name: str
    rate: Rate
    allowed: bool
    remaining: int
    seconds: float
    first_refusal: bool = False


@dataclass(slots=True)
class _Held:
    """`left` is ours to let through; `untaken` nobody's yet, as far as we know. `ends` is monotonic."""

    rate: Rate
    window: float
    ends: float
    left: int
    untaken: int
    refused: bool = False


class RateCounters:
    """Shares of the limits, by key or token. `take` asks the database only when its share is used up."""

    def __init__(
        self, take_share: TakeShare = take_share, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._take_share, self._clock = take_share, clock
        self._held: dict[tuple[UUID, str], _Held] = {}
        self._tidy_at = _TIDY_AT
        self._lock = threading.Lock()
        # One thread asks for a share while the others of the same key wait for it, or each would take one.
        self._asking = [threading.Lock() for _ in range(_LOCKS)]

    def take(self, holder: UUID, name: str, rate: Rate) -> Verdict:
        """Count one. Whoever is refused is not counted, and costs no statement until the window ends."""
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
                return Verdict(name, rate, True, rate.quota, 0.0)  # what only reads goes on, uncounted
            return self._of_grant(holder, name, rate, grant, asked_at)

    def _of_held(self, holder: UUID, name: str, rate: Rate) -> Verdict | None:
        """None: another share is needed first."""
        now = self._clock()
        with self._lock:
            held = self._held.get((holder, name))
            if held is None or now >= held.ends or held.rate != rate or held.left <= 0 < held.untaken:
                return None
            return _count(held, name, now)

    def _of_grant(self, holder: UUID, name: str, rate: Rate, grant: Grant, asked_at: float) -> Verdict:
        """Add a share to what is held of the same window; what is left of an earlier one is worth nothing now."""
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
        """Each time twice as many are held as were worth keeping: what it costs stays in proportion."""
        if len(self._held) >= self._tidy_at:
            self._held = {key: held for key, held in self._held.items() if held.ends > now}
            self._tidy_at = max(_TIDY_AT, 2 * len(self._held))


def _count(held: _Held, name: str, now: float) -> Verdict:
    if held.left > 0:
        held.left -= 1
        return Verdict(name, held.rate, True, held.left + max(0, held.untaken), held.ends - now)
    first, held.refused = not held.refused, True
    return Verdict(name, held.rate, False, 0, held.ends - now, first)
