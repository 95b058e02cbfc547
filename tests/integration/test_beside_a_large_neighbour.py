"""In an installation of a few people, one of whom has a lot of everything, nothing reads that one's rows for another.

The planner takes half of each table for each one's then. Where a statement looks for a row that another does not have,
it expects to find one at once, and would read the whole table.
"""

from collections import Counter
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from relationships.models import Project
from tests.fixtures.api import Api, new_key
from tests.fixtures.distributed import DISTRIBUTED
from tests.fixtures.documents import learn
from tests.fixtures.people import meet_elsewhere
from tests.fixtures.turns import Conversation

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(DISTRIBUTED, reason="a coordinator does not count what its nodes read"),
]

MANY = 5000
_OWED = {"due_at": "now() - n * interval '1 second'"}
# Tables, each with what differs in its copies.
COPIED = {
    "relationships_turn": {"seq": "1000000 + n", "state": "'pending'", "settled_at": "NULL", **_OWED},
    "relationships_message": {"seq": "2000000 + n"},
    "memory_searchtext": {"owner_id": "gen_random_uuid()", "place": "2000000 + n", **_OWED},
    "memory_scratchpadentry": {
        "content_hash": "sha256(int4send(n::int))",
        "tier": "'archive'",
        "single_valued": "false",
    },
    "memory_entryrevision": {"seq": "3000000 + n"},
    "memory_modelcall": {},
    "memory_operationresult": {"number": "100 + n"},
    "context_documentchunk": {"place": "100 + n"},
}
# What is done for somebody else: a method, and a path below the relationship's.
DONE: list[tuple[str, str, Any]] = [
    ("POST", "/turns", {"messages": [{"role": "user", "content": "I like tea."}]}),
    ("POST", "/context", {"message": "Where do I live?"}),
    ("POST", "/entries", {"content": "Has a dog", "type": "other"}),
    ("GET", "/entries", None),
    ("POST", "/entries/search", {"query": "dog"}),
    ("POST", "/messages/search", {"query": "tea"}),
    ("GET", "/messages", None),
    ("GET", "/turns", None),
    ("GET", "/history", None),
    ("POST", "/forget", {"what": "my dog"}),
]


def multiply(table: str, owner: str, owner_id: UUID, values: dict[str, str]) -> None:
    """Copy a row of this owner MANY times."""
    with connection.cursor() as cursor:
        names = [column.name for column in connection.introspection.get_table_description(cursor, table)]
        made = ", ".join({"id": "gen_random_uuid()", **values}.get(name, f"one.{name}") for name in names)
        one = f"SELECT * FROM {table} WHERE {owner} = %s LIMIT 1"
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(names)}) SELECT {made} FROM generate_series(1, {MANY}) n, ({one}) one",
            [owner_id],
        )
        assert cursor.rowcount == MANY
        cursor.execute(f"ANALYZE {table}")


def rows_read() -> Counter[str]:
    """How many rows of each table this transaction has read."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables"
        )
        return Counter(dict(cursor.fetchall()))


def test_nothing_reads_the_neighbours_rows() -> None:
    neighbour, relationship = meet_elsewhere(), meet_elsewhere()
    learn(neighbour.companion, "About tea.")
    mine = Conversation(relationship)
    for talk in (Conversation(neighbour), mine):
        talk.hear("I moved to Lisbon.")
    for table, values in COPIED.items():
        if table == "context_documentchunk":
            multiply(table, "companion_id", neighbour.companion_id, values)
        else:
            multiply(table, "relationship_id", neighbour.id, values)
    api = Api(new_key(Project.objects.get(id=relationship.project_id), "admin"))

    def send(method: str, path: str, body: Any) -> None:
        answer = api.send(method, f"/relationships/{relationship.id}{path}", body)
        assert answer.status < 300, f"{path}: {answer}"

    read: dict[str, Counter[str]] = {}
    for method, path, body in DONE:
        before = rows_read()
        send(method, path, body)
        read[f"{method} {path}"] = rows_read() - before
    before = rows_read()
    assert mine.drain().applied
    read["reading the turn"] = rows_read() - before

    large = {what: {name: n for name, n in rows.items() if n > MANY / 10} for what, rows in read.items()}
    assert not any(large.values()), large
