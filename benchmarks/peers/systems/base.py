"""One system under measurement: the few verbs that every measure speaks.

A measure never asks which system it holds. What a system has no verb for raises NotThere, and the report says so.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Literal

import psutil


class NotThere(Exception):
    """The system has no such verb, or isn't installed. The message says what is missing, for the report."""


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class House:
    """What all systems share. `server_url` names no database: each system makes its own."""

    server_url: str
    data_dir: Path  # the PostgreSQL server's own folder, whose raw files are searched after an erasure
    folder: Path  # of this run: whatever a system writes outside the database goes below it
    model_url: str  # ends in /v1
    model_name: str = "gpt-5-mini"
    embedding_model: str = "text-embedding-3-small"
    dimensions: int = 1536  # the model's own

    def database_url(self, name: str) -> str:
        return f"{self.server_url.rstrip('/')}/{name}"


@dataclass(frozen=True, slots=True)
class Stores:
    """Where a system keeps what it was told: every table of the databases, every file below the folders."""

    database_urls: Sequence[str] = ()
    folders: Sequence[Path] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """One call to be timed: `hand_over` takes the messages, `fetch` the question."""

    verb: Literal["hand_over", "fetch"]
    user: str
    messages: Sequence[Message] = ()
    question: str = ""


@dataclass(frozen=True, slots=True)
class Timed:
    """Milliseconds of each call, in no order, and the seconds from the first to the end of the last."""

    milliseconds: list[float]
    seconds: float
    failures: list[str] = field(default_factory=list)


class System(ABC):
    """Verbs may be called from several threads at once. `user` is any short text of letters, digits and dashes.

    The model server tells systems apart by `name`: it is the API key each of them sends.
    """

    name: ClassVar[str]  # short, as in tables: "mem0"
    title: ClassVar[str]  # as in the report: "mem0 (library, pgvector)"

    @abstractmethod
    def version(self) -> str:
        """Known before `start`. Raises NotThere when it isn't installed."""

    @abstractmethod
    def settings(self) -> Mapping[str, str]:
        """What differs from its defaults and why, for the report."""

    @abstractmethod
    def start(self, house: House) -> None:
        """On a fresh database and folder. Raises NotThere."""

    @abstractmethod
    def hand_over(
        self, user: str, messages: Sequence[Message], *, at: datetime | None = None, key: str | None = None
    ) -> None:
        """Give it one turn; returns when a reply need wait no longer.

        `key` makes the same call twice one turn, where the system has such a thing; others ignore it. Raises
        whatever the system's own client raises.
        """

    @abstractmethod
    def settle(self, timeout: float) -> None:
        """Wait until all that was handed over is remembered, or has visibly failed. Raises TimeoutError."""

    @abstractmethod
    def fetch(self, user: str, question: str) -> list[str]:
        """The remembered texts that the model would be shown for its next reply, best or newest first."""

    @abstractmethod
    def stored(self, user: str) -> list[str]:
        """Every text that is stored as a memory about them now."""

    @abstractmethod
    def delete_person(self, user: str) -> None:
        """By the documented call for it; returns when it says that it is done."""

    @abstractmethod
    def stores(self) -> Stores: ...

    @abstractmethod
    def processes(self) -> list[psutil.Process]:
        """The system's own processes, not the database's."""

    @abstractmethod
    def kill(self) -> None:
        """kill -9 of everything of the system that writes, the database excepted. Calls under way raise."""

    @abstractmethod
    def start_again(self) -> None:
        """After `kill`, on the same database and folder."""

    @abstractmethod
    def stop(self) -> None: ...

    def purge(self) -> None:
        """The system's own purge of what was deleted. Raises NotThere."""
        raise NotThere(f"{self.name} has no purge")

    def failed(self, user: str) -> list[str]:
        """What was handed over and visibly failed, as the system itself reports it later; [] where it can't say."""
        return []

    def add_workers(self, count: int) -> None:
        """Have `count` processes write at once from now on. Raises NotThere."""
        raise NotThere(f"{self.name} has no workers")

    @abstractmethod
    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        """Store memories, by user, as they would be after having been learnt: no model is asked.

        Embedded by the model server; by the fastest way that gives the same rows and indexes (COPY is fair).
        """

    @abstractmethod
    def time(self, calls: Sequence[Call], *, clients: int) -> Timed:
        """Make the calls with so many clients at once, each taking the next; timed where the caller would stand."""
