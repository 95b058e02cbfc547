"""A system in memory that does what a book of facts says, faultlessly or with one fault: what measures are held to."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import psutil

from benchmarks.peers.facts import Change, from_json, moves_for
from benchmarks.peers.field import Field, Scale
from benchmarks.peers.model import Model
from benchmarks.peers.systems.base import Call, House, Message, Stores, System, Timed

Fault = Literal["", "only adds", "forgets some", "mixes people up", "breaks"]


class Taught(Model):
    """What it is told is kept here; no server is asked."""

    def __init__(self) -> None:
        super().__init__("http://nowhere/v1")
        self.book: dict[str, list[Change]] = {}
        self.orders: list[dict[str, Any]] = []

    def _tell(self, **wanted: Any) -> dict[str, Any]:
        self.book |= from_json(wanted.pop("book", {}))
        self.orders += [wanted] if wanted else []
        return {"counts": {}}


class Remembering(System):
    name = "rapport"
    title = "in memory"

    def __init__(self, model: Taught, fault: Fault = "") -> None:
        self._model = model
        self._fault = fault
        self._known: dict[str, list[str]] = {}
        self._lock = Lock()
        self.started: list[str] = []
        self.workers = 1

    def version(self) -> str:
        return "1"

    def settings(self) -> Mapping[str, str]:
        return {}

    def start(self, house: House) -> None:
        self.started.append("start")

    def hand_over(
        self, user: str, messages: Sequence[Message], *, at: datetime | None = None, key: str | None = None
    ) -> None:
        if self._fault == "breaks":
            raise RuntimeError("broken")
        said = [message.content for message in messages if message.role == "user"]
        with self._lock:
            self._remember(user, said)

    def _remember(self, user: str, said: list[str]) -> None:
        owner = "everybody" if self._fault == "mixes people up" else user
        known = self._known.setdefault(owner, [])
        for move in moves_for(self._model.book, said, known):
            if self._fault == "forgets some" and "city" in move.text:
                continue
            if move.at is None or self._fault == "only adds":
                known += [move.text] if move.text else []
            else:
                known[move.at] = move.text

    def settle(self, timeout: float) -> None:
        pass

    def fetch(self, user: str, question: str) -> list[str]:
        return self.stored(user)

    def stored(self, user: str) -> list[str]:
        owner = "everybody" if self._fault == "mixes people up" else user
        return [text for text in self._known.get(owner, ()) if text]

    def delete_person(self, user: str) -> None:
        self._known.pop(user, None)

    def stores(self) -> Stores:
        return Stores()

    def processes(self) -> list[psutil.Process]:
        return []

    def kill(self) -> None:
        self.started.append("kill")

    def start_again(self) -> None:
        self.started.append("start again")

    def stop(self) -> None:
        self.started.append("stop")

    def add_workers(self, count: int) -> None:
        self.workers += count

    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        """Put into a dictionary."""
        for user, texts in memories.items():
            self._known[user] = list(texts)

    def time(self, calls: Sequence[Call], *, clients: int) -> Timed:
        return Timed([], 0.0)


@contextmanager
def field_of(folder: Path, *faults: Fault) -> Iterator[tuple[Field, list[Remembering]]]:
    """One system for each fault, by the name of its fault; the faultless one is `rapport`. Small sizes."""
    model = Taught()
    made: list[Remembering] = []

    def maker(fault: Fault) -> Any:
        named = type("Named", (Remembering,), {"name": fault or "rapport"})

        def make() -> System:
            made.append(named(model, fault))
            return made[-1]

        return make

    house = House("postgresql://nowhere", folder, folder, model.url)
    scale = Scale(rounds=2, share=0.1)
    yield Field(house, model, [maker(fault) for fault in faults], {}, scale, lambda said: None), made
