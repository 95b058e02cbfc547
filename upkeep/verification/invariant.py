"""The base class of invariants: a promise about the tables, and how to find and repair the rows that break it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple
from uuid import UUID

from django.db import connection
from psycopg import sql

from config.postgresql.sessions import execute
from relationships.models import Companion
from relationships.services.sequence import lock_relationship
from web.actor import Actor

BY_VERIFY = Actor.policy("verify")


class Level(StrEnum):
    """The owners of an invariant's rows. They are checked in pages."""

    DATABASE = "database"
    COMPANION = "companion"
    RELATIONSHIP = "relationship"


@dataclass(frozen=True, slots=True)
class Problem:
    """One way to break a promise. `words` say what is wrong with a row, `remedy` what a person should do about it.

    Without a remedy `--repair` repairs it: by `repair`, a statement with the parameters %(owner)s, %(rows)s and
    %(now)s, or by the invariant's own method.
    """

    slug: str
    words: str
    remedy: str = ""
    repair: str = ""

    @property
    def repairable(self) -> bool:
        return not self.remedy


class Finding(NamedTuple):
    """A row that breaks a promise. `detail` names columns, tables and numbers, nothing that a person said."""

    problem: Problem
    owner_id: UUID | None  # the relationship or companion; None: the database itself
    row_id: UUID | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Owners in order of their IDs. `first` to `last` has no gap to the next page, so it includes rows without owner.

    `project_id`: only this project's; None: all.
    """

    ids: tuple[UUID, ...]
    first: UUID
    last: UUID
    project_id: UUID | None = None

    @classmethod
    def of(cls, owner_id: UUID) -> "Page":
        return cls((owner_id,), owner_id, owner_id)


class Invariant:
    """One promise. It has no state between checks.

    Its `statements` select the rows that break it, as problem's slug, owner, row and detail. Where SQL isn't enough,
    subclasses override `check` and `repair`.
    """

    slug: ClassVar[str]
    promise: ClassVar[str]  # what holds, in a sentence
    level: ClassVar[Level] = Level.RELATIONSHIP
    problems: ClassVar[Sequence[Problem]]
    statements: ClassVar[Sequence[str]] = ()

    def told(self, page: Page, *, now: datetime) -> Mapping[str, Any]:
        """Parameters of the statements, besides the page's."""
        return {}

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        """Find the rows that break it, in a number of statements that does not depend on how many there are.

        Without the lock, some of them may just be being written.
        """
        problems = {problem.slug: problem for problem in self.problems}
        told = self.told(page, now=now)
        for statement in self.statements:
            for slug, owner_id, row_id, detail in rows(statement, page, **told):
                yield Finding(problems[slug], owner_id, row_id, detail)

    def repair(self, owner_id: Any, findings: Sequence[Finding], *, now: datetime) -> None:
        """Repair findings of one owner, or of the database (None). Called under its lock, in a transaction."""
        for problem in self.problems:
            wrong = [finding.row_id for finding in findings if finding.problem == problem]
            if wrong:
                execute(problem.repair, {"owner": owner_id, "rows": wrong, "now": now})

    def lock(self, owner_id: UUID) -> None:
        """Lock the owner until the transaction ends. If it doesn't exist, it has no writers either."""
        if self.level == Level.RELATIONSHIP:
            lock_relationship(owner_id)
        elif self.level == Level.COMPANION:
            list(Companion.objects.select_for_update(no_key=True).filter(id=owner_id).values_list("id"))


AT_ONCE = 2_000  # rows


def rows(statement: str | sql.Composable, page: Page, **more: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a statement with the parameters %(ids)s, %(first)s, %(last)s, %(project)s, and `more`."""
    told: Mapping[str, Any] = {
        "ids": list(page.ids),
        "first": page.first,
        "last": page.last,
        "project": page.project_id,
        **more,
    }
    # A pooler gives no cursor its own session.
    at_once = connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS")
    with connection.cursor() if at_once else connection.chunked_cursor() as cursor:
        cursor.execute(statement, told)
        while some := cursor.fetchmany(AT_ONCE):
            yield from some


_IMPORTS = """
SELECT DISTINCT ON (target_id) target_id, recorded_at, coalesce((detail ->> 'calls_left_behind')::int, 2147483647)
  FROM relationships_auditevent
 WHERE project_id IN (SELECT project_id FROM relationships_relationship WHERE id = ANY(%(ids)s))
   AND action = 'relationship.imported' AND target_id = ANY(%(ids)s)
 ORDER BY target_id, recorded_at DESC
"""


def imports_of(relationship_ids: Collection[UUID]) -> dict[UUID, tuple[datetime, int]]:
    """When relationships were imported, by the audit trail, and how many model calls of their turns were left behind.

    That is a huge number for imports by versions that did not count them. No statement without IDs.
    """
    if not relationship_ids:
        return {}
    found = execute(_IMPORTS, {"ids": list(relationship_ids)})
    return {owner_id: (at, left_behind) for owner_id, at, left_behind in found}
