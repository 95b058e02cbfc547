"""Puts so many relationships into an empty database, as the services would have left them."""

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

EMBEDDED = 1000  # with vectors, the first ones; what everybody's would take is worked out from theirs
VERIFIED_UP_TO = 10_000  # whole; all are made alike


@dataclass(frozen=True, slots=True)
class Seeded:
    """What requests and calls name."""

    project_id: UUID
    relationships: Sequence[UUID]

    @property
    def embedded(self) -> Sequence[UUID]:
        """Those whose companion has an embedder."""
        return self.relationships[:EMBEDDED]

    def draw(self, count: int, *, seed: int) -> list[UUID]:
        """So many at random, each once as long as there are as many."""
        return drawn(self.relationships, count, seed=seed)


def seed(relationships: int, *, patterns: int, last_seq: int, history_of_one_in: int = 1) -> Seeded:
    """Into a database with nothing in it but templates, of so many people.

    Raises AssertionError when what was seeded is not as the services would have left it.
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
    random = Random(seed)
    found: list[UUID] = []
    while len(found) < count:
        found += random.sample(ids, min(len(ids), count - len(found)))
    return found


def _check(ids: Sequence[UUID], history_of_one_in: int) -> None:
    """All of them, or some of those that have their history: a million would take half an hour."""
    some = drawn(ids[::history_of_one_in], 100, seed=0)
    whole = len(ids) <= VERIFIED_UP_TO
    for report in [verify()] if whole else (verify(relationship_id=id) for id in some):
        assert report.holds, "; ".join(report.lines())


def _people(with_vectors: Companion, plain: Companion, count: int, last_seq: int) -> list[UUID]:
    """The first ones are of the first companion. Each gets its number in scale.number."""
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
