"""Fills an empty database with relationships, as the services would have left them."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from uuid import UUID

from django.db import connection

from benchmarks.scale.clone import clone
from benchmarks.scale.templates import TABLES
from benchmarks.seed import make_companion, make_relationships
from relationships.models import Companion
from upkeep.verification import verify

EMBEDDED = 1000  # only these first ones have vectors
VERIFIED_UP_TO = 10_000  # of larger databases only a part is verified, as all relationships are alike


@dataclass(frozen=True, slots=True)
class Seeded:
    """The IDs that calls need."""

    project_id: UUID
    relationships: Sequence[UUID]

    @property
    def embedded(self) -> Sequence[UUID]:
        """Those with vectors."""
        return self.relationships[:EMBEDDED]

    def draw(self, count: int, *, seed: int) -> list[UUID]:
        return drawn(self.relationships, count, seed=seed)


def seed(relationships: int, *, patterns: int, last_seq: int, history_of_one_in: int = 1) -> Seeded:
    """Fill a database that has only templates with this many relationships.

    Raises AssertionError if an invariant does not hold afterwards.
    """
    plain = make_companion("plain")
    with_vectors = make_companion("vectors", {"retrieval": {"embedder": "offline"}}, project=plain.project)
    ids = _people(with_vectors, plain, relationships, last_seq)
    for table in TABLES:
        below = EMBEDDED if table == "memory_embedding" else relationships
        one_in = history_of_one_in if table == "memory_entryrevision" else 1
        clone(table, below=below, one_in=one_in, patterns=patterns)
    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA scale CASCADE")
        cursor.execute(
            "UPDATE relationships_relationship r SET message_count = m.count FROM (SELECT relationship_id, count(*) "
            "FROM relationships_message GROUP BY 1) m WHERE m.relationship_id = r.id"
        )
        cursor.execute("VACUUM (ANALYZE) relationships_relationship, relationships_enduser")
        cursor.execute("CHECKPOINT")
    _check(ids, history_of_one_in)
    return Seeded(plain.project_id, ids)


def drawn(ids: Sequence[UUID], count: int, *, seed: int) -> list[UUID]:
    """This many IDs at random, each once if there are enough."""
    random = Random(seed)
    found: list[UUID] = []
    while len(found) < count:
        found += random.sample(ids, min(len(ids), count - len(found)))
    return found


def _check(ids: Sequence[UUID], history_of_one_in: int) -> None:
    """Verify the whole database, or 100 relationships of a large one, as a million would take half an hour."""
    some = drawn(ids[::history_of_one_in], 100, seed=0)
    whole = len(ids) <= VERIFIED_UP_TO
    for report in [verify()] if whole else (verify(relationship_id=id) for id in some):
        assert report.holds, "; ".join(report.lines())


def _people(with_vectors: Companion, plain: Companion, count: int, last_seq: int) -> list[UUID]:
    """Make the relationships and the table scale.number, which numbers them. The first EMBEDDED have vectors."""
    ids: list[UUID] = []
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE scale.number (number integer, relationship_id uuid, project_id uuid, hex text)"
        )
        for start in range(0, count, EMBEDDED):
            numbers = range(start, min(start + EMBEDDED, count))
            companion = plain if start else with_vectors
            people = make_relationships(companion, (f"user-{number}" for number in numbers))
            ids += [person.id for person in people]
            with cursor.copy("COPY scale.number FROM STDIN") as copy:
                for number, person in zip(numbers, people, strict=True):
                    copy.write_row((number, person.id, person.project_id, f"{number:08x}"))
        cursor.execute(
            "UPDATE relationships_relationship SET last_seq = %s, last_turn_at = now()", [last_seq]
        )
        cursor.execute("ANALYZE scale.number")
    return ids
