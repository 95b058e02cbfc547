"""What an invariant is: a promise about the tables, and how to find the rows that break it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, NamedTuple
from uuid import UUID

from relationships.actor import Actor
from relationships.models import Companion
from relationships.services.sequence import lock_relationship

BY_VERIFY = Actor.policy("verify")


class Level(StrEnum):
    """Whose rows an invariant is about; its pages are pages of these."""

    DATABASE = "database"
    COMPANION = "companion"
    RELATIONSHIP = "relationship"


@dataclass(frozen=True, slots=True)
class Problem:
    """One way to break a promise. `words` say what is wrong with one row; `remedy` what a person does about it.

    Without a remedy `--repair` mends it.
    """

    slug: str
    words: str
    remedy: str = ""

    @property
    def mendable(self) -> bool:
        return not self.remedy


class Finding(NamedTuple):
    """A row that breaks a promise. `detail` names columns, tables and numbers, never anybody's words."""

    problem: Problem
    owner_id: UUID | None  # the relationship or companion; None: of the database itself
    row_id: UUID | None = None
    detail: str = ""


def owner_of(findings: Sequence[Finding]) -> UUID:
    """Whose rows they are, all of one owner."""
    owner_id = findings[0].owner_id
    assert owner_id is not None, "they are of the database itself"
    return owner_id


@dataclass(frozen=True, slots=True)
class Page:
    """Owners in order of their IDs. `first` to `last` leaves no gap between pages: rows of nobody lie in it too.

    `project_id`: only of this project; None: of all.
    """

    ids: tuple[UUID, ...]
    first: UUID
    last: UUID
    project_id: UUID | None = None

    @classmethod
    def of(cls, owner_id: UUID) -> "Page":
        return cls((owner_id,), owner_id, owner_id)


class Invariant(ABC):
    """One promise. An invariant keeps nothing between two looks."""

    slug: ClassVar[str]
    promise: ClassVar[str]  # what holds, in a sentence
    level: ClassVar[Level] = Level.RELATIONSHIP

    @abstractmethod
    def look(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        """The rows that break it, in a number of statements that does not depend on how many there are.

        Without the lock some of them may only be in the middle of being written.
        """

    def mend(self, findings: Sequence[Finding], *, now: datetime) -> None:
        """Put these right: mendable ones of one owner, under its lock, in a transaction."""
        raise NotImplementedError

    def hold(self, owner_id: UUID) -> None:
        """Lock the owner until the transaction ends. One that is gone has no writers either."""
        if self.level == Level.RELATIONSHIP:
            lock_relationship(owner_id)
        elif self.level == Level.COMPANION:
            list(Companion.objects.select_for_update(no_key=True).filter(id=owner_id).values_list("id"))
