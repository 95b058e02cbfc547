"""Puts so many relationships into an empty database, as the services would have left them."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from random import Random
from uuid import UUID

import psycopg
from django.db import connection, connections
from django.utils import timezone

from benchmarks.scale.clone import Job, Tell, clone
from benchmarks.scale.templates import TABLES
from benchmarks.seed import make_companion
from relationships.ids import relationship_id, uuid7
from relationships.models import Companion, Project
from upkeep.verification import verify

EMBEDDED = 1000  # with vectors, the first ones; what everybody's would take is worked out from theirs
VERIFIED_UP_TO = 10_000  # whole; all are made alike
_AT_ONCE = 2
# The largest first, so that both connections have something to do until the end.
_JOBS = ("memory_entryrevision", "memory_searchtext", "memory_scratchpadentry", "relationships_message")
_USERS = (
    "id project_id external_id display_name metadata ingestion_paused version created_at updated_at".split()
)
_RELATIONSHIPS = (
    "id project_id companion_id user_id config timezone last_seq last_turn_at version".split()
    + "created_at updated_at".split()
)


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


def seed(
    relationships: int, *, patterns: int, last_seq: int, history_of_one_in: int = 1, tell: Tell
) -> Seeded:
    """Into a database with nothing in it but templates, of so many people.

    Raises AssertionError when what was seeded is not as the services would have left it.
    """
    plain = make_companion("plain")
    with_vectors = make_companion("vectors", {"retrieval": {"embedder": "offline"}}, project=plain.project)
    ids = _people(plain.project, (with_vectors, plain), relationships, last_seq, tell)
    jobs = [
        Job(
            table,
            below=EMBEDDED if table == "memory_embedding" else relationships,
            one_in=history_of_one_in if table == "memory_entryrevision" else 1,
        )
        for table in (*_JOBS, *(table for table in TABLES if table not in _JOBS))
    ]
    _work(jobs, patterns, tell)
    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA scale CASCADE")
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


def _people(
    project: Project, companions: tuple[Companion, Companion], count: int, last_seq: int, tell: Tell
) -> list[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE scale.number (number integer, relationship_id uuid, project_id uuid, hex text)"
        )
    ids = [uuid7() for _ in range(count)]
    now = timezone.now()
    tell("people")
    with _copying("relationships_enduser", _USERS) as copy:
        for number, user in enumerate(ids):
            copy.write_row((user, project.id, f"user-{number}", "Maya", "{}", False, 1, now, now))
    tell("relationships")
    pairs = [(companions[number >= EMBEDDED].id, user) for number, user in enumerate(ids)]
    own = [relationship_id(*pair) for pair in pairs]
    with _copying("relationships_relationship", _RELATIONSHIPS) as copy:
        for id, (companion, user) in zip(own, pairs, strict=True):
            copy.write_row((id, project.id, companion, user, "{}", "UTC", last_seq, now, 1, now, now))
    with _copying("scale.number", ("number", "relationship_id", "project_id", "hex")) as copy:
        for number, id in enumerate(own):
            copy.write_row((number, id, project.id, f"{number:08x}"))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE scale.number")
    return own


@contextmanager
def _copying(table: str, columns: Sequence[str]) -> Iterator["psycopg.Copy"]:
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy,
    ):
        yield copy


def _work(jobs: Sequence[Job], patterns: int, tell: Tell) -> None:
    """All of them, on two connections. Raises what went wrong in the first that did."""
    waiting: SimpleQueue[Job] = SimpleQueue()
    for job in jobs:
        waiting.put(job)
    failures: list[BaseException] = []
    parameters = connection.get_connection_params()

    def work() -> None:
        try:
            with psycopg.connect(
                **{name: parameters[name] for name in ("dbname", "user", "host", "port")}, autocommit=True
            ) as own:
                while not failures:
                    clone(waiting.get_nowait(), own, patterns=patterns, tell=tell)
        except Empty:
            return
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(_AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    connections.close_all()
    if failures:
        raise failures[0]
