"""What was just imported is written and checked by reading about as many rows as it has, whatever is known of the tables.

Work is counted in the rows that PostgreSQL reads of its tables.
"""

import json
from collections.abc import Callable

import pytest
from django.db import connection

from relationships.models import Companion, Relationship
from tests.acceptance.drills.test_large_import import pieces
from tests.fixtures.archives import imported
from tests.fixtures.distributed import DISTRIBUTED
from tests.fixtures.people import meet
from tests.growth import MOST, TIMES
from upkeep.verification import verify

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(DISTRIBUTED, reason="the rows are read, and counted, on the nodes"),
]
TURNS = 250
_READ = "SELECT sum(seq_tup_read) + sum(idx_tup_fetch) FROM pg_stat_user_tables"
_FORGET = "DELETE FROM pg_statistic WHERE starelid IN (SELECT relid FROM pg_stat_user_tables)"


def rows_read(work: Callable[[], object]) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(_READ)
        before = cursor.fetchone()[0]
        work()
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(_READ)
        return int(cursor.fetchone()[0] - before)


def known_to_nobody(companion: Companion) -> Relationship:
    """An empty relationship, where PostgreSQL knows nothing of its tables, as on a database that is new."""
    with connection.cursor() as cursor:
        cursor.execute(_FORGET)
    return meet(companion)


def fill(relationship: Relationship, turns: int) -> None:
    imported(json.loads(b"".join(pieces(turns))), relationship)


def read_by_import_and_check(companion: Companion, turns: int) -> tuple[int, int]:
    relationship = known_to_nobody(companion)
    imported = rows_read(lambda: fill(relationship, turns))
    return imported, rows_read(lambda: verify(relationship_id=relationship.id))


def test_an_import_and_a_check_just_after_it_read_as_many_rows_as_came(companion: Companion) -> None:
    fill(known_to_nobody(companion), 1)  # what is asked once

    few, many = (read_by_import_and_check(companion, turns) for turns in (TURNS, TIMES * TURNS))

    for one, other in zip(few, many, strict=True):
        assert other < MOST * one, (few, many)
