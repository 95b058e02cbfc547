"""A system in memory that is busy while the model is slow: there is a middle to be killed in."""

from collections.abc import Sequence
from threading import Event
from typing import Any

from benchmarks.peers.systems.base import Message
from tests.unit.benchmarks.peers.measures.remembering import Remembering


class Lagging(Remembering):
    """While the model is slow, the first call of each life returns at once and is owed; the others are under way until
    everything is killed, and are refused then."""

    killed: Event
    owed = False

    def hand_over(self, user: str, messages: Sequence[Message], **options: Any) -> None:
        if not self._model.slow:
            return super().hand_over(user, messages, **options)
        with self._lock:
            first, self.owed = not self.owed, True
            self.killed = Event() if first else self.killed
        if first:
            return super().hand_over(user, messages, **options)
        self._ask()
        self.killed.wait(20)
        raise ConnectionError("killed")

    def settle(self, timeout: float) -> None:
        if self.owed:
            raise TimeoutError

    def kill(self) -> None:
        super().kill()
        self.killed.set()

    def start_again(self) -> None:
        super().start_again()
        self.owed = False
