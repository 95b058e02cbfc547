"""Keeps a project whose models, webhooks or tools don't answer from holding all readers of a process.

A project's calls to a provider, or to its own addresses, are silent if the oldest of them has been waiting for long and
none was answered meanwhile. Then the project gets no more than half of the readers, and for a quarter of the readers
others come in (readers.py). Each call that ends by its timeout halves the project's share, down to one call at a time,
until one is answered. Its own addresses never get more than half, as whoever answers there decides how long that takes.

By project, as one project's prompts may be what makes a model hang that answers all others.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from uuid import UUID

from config.postgresql.sessions import release_connection
from providers.errors import HeldBack, ProviderTimeout
from web.outgoing import OutgoingTimeout

OWN_ADDRESSES = "own addresses"  # of a project: webhooks and tools
SILENT_SECONDS = 10.0  # or twice as long as the project's slowest recent answers took
_FORGETTING = 0.9  # what the slowest answer still counts after another
_PATIENCE_SECONDS = 1.0  # before a call is held back, as an answer may come
_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 5.0, 60.0
_KEPT = 1000  # projects of which it is known how long their answers take


@dataclass(slots=True)
class _Calls:
    """The calls of one project to one place. Times are monotonic seconds."""

    always_few: bool  # not only while they are silent
    heard_at: float  # when the last answer came
    began: dict[object, float] = field(default_factory=dict)  # calls in flight, the oldest first
    slowest: float = 0.0  # how long answers take
    timeouts: int = 0  # since the last answer

    def silent(self, now: float) -> bool:
        return self.waited(now) > max(SILENT_SECONDS, 2 * self.slowest)

    def waited(self, now: float) -> float:
        """For how long calls have been waiting and none was answered, in seconds."""
        return min(self.oldest(now), now - self.heard_at)

    def oldest(self, now: float) -> float:
        """How long the oldest call in flight has been waiting, in seconds."""
        return now - next(iter(self.began.values()), now)

    def may_begin(self, now: float, share: int) -> bool:
        """`share`: how many calls are allowed while they are silent."""
        few = len(self.began) < max(1, share >> min(self.timeouts, 10))
        return few or not (self.always_few or self.timeouts or self.silent(now))

    def end(self, call: object, now: float, error: Exception | None) -> None:
        """`error`: with which it ended, if it failed. A timeout and a question that was held back are no answers; any
        other error is one.
        """
        began = self.began.pop(call)
        if isinstance(error, ProviderTimeout | OutgoingTimeout):
            self.timeouts += 1
        elif not isinstance(error, HeldBack):
            self.heard_at, self.timeouts = now, 0
            self.slowest = max(now - began, self.slowest * _FORGETTING)


class CallsInFlight:
    """The calls to models, webhooks and tools that a process waits for, by project and place."""

    def __init__(self, readers: int = 0, *, clock: Callable[[], float] = monotonic) -> None:
        """`readers`: of this process; 0: it has none that could be held, so any call may begin. `clock`: in seconds."""
        self.readers, self._clock = readers, clock
        self._calls: dict[tuple[UUID, str], _Calls] = {}
        self._changed = threading.Condition()

    @contextmanager
    def call(self, project_id: UUID, place: str, *, patience: float = _PATIENCE_SECONDS) -> Iterator[None]:
        """Wrap a call. `place`: the provider's alias, or OWN_ADDRESSES. Raises HeldBack, after `patience` seconds, if
        the project may begin no other there.
        """
        call, failure = object(), None
        with self._changed:
            calls = self._calls_of((project_id, place))
            if not self._may_begin(calls):
                release_connection()
                if not self._changed.wait_for(lambda: self._may_begin(calls), patience):
                    raise self._held_back(calls)
            calls.began[call] = self._clock()
        try:
            yield
        except Exception as error:
            failure = error
            raise
        finally:
            with self._changed:
                calls.end(call, self._clock(), failure)
                self._changed.notify_all()

    def silent(self) -> int:
        """How many calls are silent."""
        with self._changed:
            now = self._clock()
            return sum(len(calls.began) for calls in self._calls.values() if calls.silent(now))

    def _may_begin(self, calls: _Calls) -> bool:
        return not self.readers or calls.may_begin(self._clock(), self.readers // 2)

    def _calls_of(self, key: tuple[UUID, str]) -> _Calls:
        if key not in self._calls and len(self._calls) >= _KEPT:
            self._calls = {key: calls for key, calls in self._calls.items() if calls.began}
        return self._calls.setdefault(key, _Calls(key[1] == OWN_ADDRESSES, heard_at=self._clock()))

    def _held_back(self, calls: _Calls) -> HeldBack:
        waited = calls.oldest(self._clock())
        pause = min(max(waited, _PAUSE_SECONDS), _LONGEST_PAUSE_SECONDS)
        return HeldBack(
            f"Not sent: earlier calls still wait for their answers, the oldest for {waited:.0f} s.",
            retry_after=pause,
        )


calls_in_flight = CallsInFlight()  # of this process
