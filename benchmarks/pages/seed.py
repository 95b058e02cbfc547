"""Puts a project that has grown large into the tables: by SQL, as rows made one by one would take hours."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from benchmarks.pages.work import fill_work
from benchmarks.seed import make_companion, make_relationships
from memory.entries.snapshots import rebuild_scratchpad
from memory.models import ScratchpadEntry
from relationships.models import Membership, Operator, Project, Role, Turn

ENTRIES = 20  # of each small relationship
COMPANIONS = 5
SPAN_DAYS = 360
_STATEMENTS = Path(__file__).with_name("seed.sql")


@dataclass(frozen=True, slots=True)
class Size:
    """`messages`: of all relationships together, two a turn. `entries_of_one`: of the large relationship."""

    relationships: int
    messages: int
    entries_of_one: int


@dataclass(frozen=True, slots=True)
class Seeded:
    """What the addresses of the pages name; all of the large relationship."""

    operator: Operator
    companion_id: UUID
    relationship_id: UUID
    entry_id: UUID
    turn_id: UUID
    middle: datetime  # of the conversation
    work: dict[str, Any]  # see fill_work


def fill(size: Size) -> Seeded:
    """The large relationship has as many more messages as it has entries."""
    project = Project.objects.create(name="Large")
    operator = Operator.objects.create_user("owner@example.org", "a long pass phrase")
    Membership.objects.create(operator=operator, project=project, role=Role.OWNER)
    users = [f"user-{number}" for number in range(size.relationships)]
    relationships = [
        relationship
        for number in range(COMPANIONS)
        for relationship in make_relationships(
            make_companion(f"companion-{number}", project=project),
            users[number::COMPANIONS],
            name="Person 77",
        )
    ]
    large = relationships[0]
    each = max(2, round(size.messages / size.relationships))
    _run({"project": project.id, "large": large.id, "of_large": size.entries_of_one, "each": each})
    with transaction.atomic():
        rebuild_scratchpad(relationship_id=large.id, project_id=project.id, now=timezone.now())
    entry = ScratchpadEntry.objects.for_relationship(large.id).first()
    turn = Turn.objects.for_relationship(large.id).order_by("-seq").first()
    assert entry is not None
    assert turn is not None
    middle = timezone.now() - timedelta(days=SPAN_DAYS // 2)
    return Seeded(operator, large.companion_id, large.id, entry.id, turn.id, middle, fill_work(large))


def _run(values: dict[str, Any]) -> None:
    """Each statement of the file, and then what a database does by itself in time."""
    values |= {"entries": ENTRIES, "span": SPAN_DAYS}
    with connection.cursor() as cursor:
        for statement in _STATEMENTS.read_text().split(";\n"):
            if statement.strip():
                cursor.execute(statement, values)
        cursor.execute("VACUUM ANALYZE")
