"""A system in memory that does what a book of facts says, faultlessly or with one fault: what measures are held to."""

from collections import Counter
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

Fault = Literal["", "only adds", "forgets some", "mixes people up", "breaks", "brings back"]


class Taught(Model):
    """What it is told is kept here; no server is asked."""

    def __init__(self) -> None:
        super().__init__("http://nowhere/v1")
        self.book: dict[str, list[Change]] = {}
        self.orders: list[dict[str, Any]] = []
        self.slow = False
        self.calls: Counter[str] = Counter()
        self.embeddings: Counter[str] = Counter()
        self.malformed: Counter[str] = Counter()
        self._spoil = 0

    def ask(self, system: str) -> None:
        """One call, which is counted as it begins."""
        self.calls[system] += 1
        self.malformed[system] += bool(self._spoil) and self.calls[system] % self._spoil == 0

    def _tell(self, **wanted: Any) -> dict[str, Any]:
        self.book |= from_json(wanted.pop("book", {}))
        system = wanted.pop("counts", "")
        if wanted.pop("reset", False):
            for counts in (self.calls, self.embeddings, self.malformed):
                counts.clear()
        self.orders += [wanted] if wanted else []
        self._spoil = wanted.get("spoil", self._spoil)
        self.slow = bool(wanted.get("latency", self.slow))
        counted = {"calls": self.calls, "embedding_calls": self.embeddings, "malformed": self.malformed}
        return {"counts": {what: counts[system] for what, counts in counted.items()}}


class Remembering(System):
    name = "rapport"
    title = "in memory"

    def __init__(self, model: Taught, fault: Fault = "") -> None:
        self._model = model
        self._fault = fault
        self._known: dict[str, list[str]] = {}
        self._gone: dict[str, list[str]] = {}
        self.asked: list[str] = []
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
            self._ask()
            self._remember(user, said)

    def _ask(self) -> None:
        self._model.ask(self.name)

    def _remember(self, user: str, said: list[str]) -> None:
        owner = "everybody" if self._fault == "mixes people up" else user
        known = self._known.setdefault(owner, [])
        for move in moves_for(self._model.book, said, known):
            if self._fault == "forgets some" and "city" in move.text:
                continue
            if move.at is None or self._fault == "only adds":
                known += [move.text] if move.text else []
            else:
                self._gone.setdefault(user, []).append(known[move.at])
                known[move.at] = move.text

    def settle(self, timeout: float) -> None:
        """With the fault: somebody's first value comes back once more than three have gone."""
        if self._fault == "brings back":
            for user, gone in self._gone.items():
                if len(gone) > 3:
                    self._known[user].append(gone.pop(0))

    def fetch(self, user: str, question: str) -> list[str]:
        self.asked.append(question)
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
def field_of(
    folder: Path, *faults: Fault, names: Mapping[Fault, str] = {"": "rapport"}
) -> Iterator[tuple[Field, list[Remembering]]]:
    """One system for each fault, called as `names` says, or by its fault. Small sizes."""
    model = Taught()
    made: list[Remembering] = []

    def maker(fault: Fault) -> Any:
        named = type("Named", (Remembering,), {"name": names.get(fault, fault)})

        def make() -> System:
            made.append(named(model, fault))
            return made[-1]

        make.name = named.name  # type: ignore[attr-defined]
        return make

    house = House("postgresql://nowhere", folder, folder, model.url)
    scale = Scale(rounds=2, share=0.1)
    yield Field(house, model, [maker(fault) for fault in faults], {}, scale, lambda said: None), made
