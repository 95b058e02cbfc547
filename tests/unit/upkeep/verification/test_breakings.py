"""Every promise broken by hand, in SQL: what is named, what `--repair` mends, and what it leaves to a person.

What takes more than a statement to break or to look at stands in the files beside this one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction

from memory.models import ScratchpadEntry
from memory.retrieval.index.embed import embed_owed
from relationships.models import Relationship, Snapshot
from tests.fixtures.index import embedded, index_of
from tests.fixtures.turns import Conversation, revise
from tests.unit.upkeep.verification.damage import (
    check_left,
    check_mended,
    check_whole,
    problems,
    run,
    unguarded,
)
from upkeep.verification import verify

VECTOR = "id = (SELECT id FROM memory_embedding WHERE kind = 'entry' ORDER BY owner_id DESC LIMIT 1)"
STRANGER = "WITH o AS (INSERT INTO relationships_project (id, name, config, version, created_at) VALUES"
STRANGER += " (gen_random_uuid(), 'Other', '{}', 1, now()) RETURNING id)"
READ = "id = (SELECT id FROM memory_entryrevision WHERE turn_id IS NOT NULL ORDER BY seq LIMIT 1)"
FIRST_TURN = "id = (SELECT id FROM relationships_turn ORDER BY seq LIMIT 1)"


def orphan(table: str) -> str:
    """A copy of a row, as of a relationship that nobody knows."""
    with connection.cursor() as cursor:
        described = connection.introspection.get_table_description(cursor, table)
    columns = ", ".join(column.name for column in described)
    values = columns.replace("relationship_id", "gen_random_uuid()")
    return f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table} LIMIT 1"


def text(kind: str, change: str) -> str:
    return f"UPDATE memory_searchtext SET {change} WHERE kind = '{kind}'"


# By what is found first, which --repair mends; the rest is found with it.
MENDED: list[tuple[str, list[str]]] = [
    ("owners/orphan", ["relationships_message", "memory_embedding", "memory_entryrevision"]),
    ("owners/other_project", [
        f"{STRANGER} UPDATE relationships_turn SET project_id = o.id FROM o",
        f"{STRANGER} UPDATE relationships_message SET project_id = o.id FROM o",
    ]),
    ("numbers/behind", ["UPDATE relationships_relationship SET last_seq = 3"]),
    ("numbers/miscounted", ["UPDATE relationships_relationship SET message_count = message_count + 1"]),
    ("fingerprints/wrong histories/differs", [
        "UPDATE memory_scratchpadentry SET content_hash = sha256('x') WHERE content = 'Likes tea'"
    ]),
    ("histories/gone index/of_nothing snapshots/differs", [
        "DELETE FROM memory_scratchpadentry WHERE content = 'Likes tea'"
    ]),
    ("index/missing vectors/stale", [
        f"DELETE FROM memory_searchtext WHERE kind = '{kind}'" for kind in ("entry", "message")
    ]),
    ("index/out_of_step vectors/stale", [text(kind, "text_hash = sha256('x')") for kind in ("entry", "message")]),
    ("index/out_of_step", [
        text("entry", "state = 'deleted'"),
        text("entry", "speaker = 'Ana'"),
        text("message", "place = 4711"),
        text("message", "state = 'skipped'"),
        text("message", "told_at = '2020-01-01T00:00:00Z', session = 'other'"),
    ]),
    ("index/words", [
        text(kind, change)
        for kind in ("entry", "message")
        for change in (
            "lexemes = ''",
            "lexemes = '', length = 0",
            "lexemes = to_tsvector('simple', 'other words')",
            "length = length + 1",
            "language = 'klingon'",
        )
    ]),
    ("vectors/stale", [f"UPDATE memory_embedding SET text_hash = sha256('x') WHERE {VECTOR}"]),
    ("vectors/misshapen", [
        f"UPDATE memory_embedding SET dimensions = dimensions + 1 WHERE {VECTOR}",
        f"UPDATE memory_embedding SET vector = (SELECT array_fill(0, ARRAY[dimensions])::halfvec) WHERE {VECTOR}",
    ]),
    ("vectors/gap", [
        "DELETE FROM memory_embedding WHERE owner_id ="
        " (SELECT owner_id FROM memory_embedding WHERE kind = 'entry' ORDER BY owner_id OFFSET 1 LIMIT 1)"
    ]),
    ("snapshots/differs", [
        "DELETE FROM relationships_snapshot",
        *(
            f"UPDATE relationships_snapshot SET {change}"
            for change in (
                "scratchpad = '[]'",
                "scratchpad = scratchpad - 0",
                "profile = '{}'",
                "sessions = '{}'",
                "has_archive = false",
                "fresh_until = now() + interval '1 day'",
            )
        ),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("found", "damages"), MENDED, ids=[found for found, _ in MENDED])
def test_what_the_other_rows_tell_is_mended_and_all_is_as_it_was(
    lived: Conversation, found: str, damages: list[str]
) -> None:
    lived.remember("Über den Dächern 😀")
    lived.say("Ça va? 東京に行った", "<rapport_memory>\n- Likes tea\n</rapport_memory> Hello")
    embed_owed(relationship_id=lived.relationship.id)
    kept = held_of(lived.relationship)
    for damage in damages:
        with damaged(orphan(damage) if " " not in damage else damage):
            check_mended(found.split())

            embed_owed(relationship_id=lived.relationship.id)
            assert held_of(lived.relationship) == kept


@contextmanager
def damaged(statement: str) -> Iterator[None]:
    """The same world is damaged in another way after it."""
    print(statement)
    with transaction.atomic():
        with unguarded():
            run(statement)
        yield
        transaction.set_rollback(True)


def held_of(relationship: Relationship) -> dict[str, Any]:
    """What a repair may touch, but for the IDs of rows that are made anew."""
    snapshot = Snapshot.objects.filter(relationship=relationship)
    return {
        "relationship": Relationship.objects.values().get(id=relationship.id),
        "snapshot": snapshot.values("profile", "sessions", "scratchpad", "fresh_until", "has_archive").get(),
        "entries": [
            {**row, "content_hash": bytes(row["content_hash"])}
            for row in ScratchpadEntry.objects.for_relationship(relationship.id).order_by("id").values()
        ],
        "revisions": len(Conversation(relationship).revisions),
        "index": index_of(relationship),
        "vectors": embedded(relationship),
    }


# What is found, all of which stays.
LEFT: list[tuple[str, list[str]]] = [
    ("prompts/not_there", ["UPDATE relationships_companion SET prompt_version = 2"]),
    ("pairs/two_projects", [f"{STRANGER} UPDATE relationships_companion SET project_id = o.id FROM o"]),
    ("numbers/gap", ["UPDATE relationships_relationship SET last_seq = last_seq + 2"]),
    ("numbers/twice numbers/gap", [
        "UPDATE memory_entryrevision SET seq = (SELECT min(seq) FROM relationships_message)"
        " WHERE seq = (SELECT min(seq) FROM memory_entryrevision)"
    ]),
    ("actors/nobody", [
        *(
            f"UPDATE memory_entryrevision SET actor_kind = '{kind}', actor_id = '{actor_id}' WHERE {READ}"
            for kind, actor_id in (
                ("developer", "rk_00000000"),
                ("operator", "nobody@example.org"),
                ("end_user", "00000000-0000-7000-8000-000000000000"),
                ("model", "another-model"),
                ("policy", ""),
                ("operator", ""),
                ("model", ""),
            )
        ),
        f"{STRANGER}, k AS (INSERT INTO relationships_apikey (id, project_id, name, prefix, key_hash, scopes, created_at)"
        " SELECT gen_random_uuid(), id, 'app', 'rk_elsewher', 'x', '{read}', now() FROM o)"
        f" UPDATE memory_entryrevision SET actor_kind = 'developer', actor_id = 'rk_elsewher' WHERE {READ}",
    ]),
    ("turns/not_applied", ["UPDATE relationships_turn SET state = 'failed'"]),
    ("turns/applied_twice", [
        "UPDATE memory_entryrevision SET recorded_at = recorded_at + interval '9 seconds'"
        " WHERE id = (SELECT id FROM memory_entryrevision WHERE actor_kind = 'model' ORDER BY seq LIMIT 1)"
    ]),
    ("turns/not_written", [
        "UPDATE memory_operationresult SET entry_id = gen_random_uuid() WHERE number = 0 AND turn_id ="
        " (SELECT id FROM relationships_turn ORDER BY seq LIMIT 1)"
    ]),
    ("turns/overtaken", [
        "UPDATE relationships_turn SET claimed_at = now() - interval '1 hour', settled_at = now() + interval '1 hour'"
        f" WHERE {FIRST_TURN}"
    ]),
    ("references/citation", [
        "UPDATE memory_scratchpadentry SET source_message_ids = ARRAY[gen_random_uuid()] WHERE content = 'Has a cat';"
        "UPDATE memory_entryrevision r SET after = jsonb_set(after, '{source_message_ids}', to_jsonb(source_message_ids))"
        "  FROM memory_scratchpadentry e WHERE e.id = r.entry_id AND e.content = 'Has a cat'"
    ]),
    ("references/model_call", ["UPDATE memory_modelcall SET turn_ids = ARRAY[gen_random_uuid()]"]),
    ("profiles/differs", ["DELETE FROM relationships_profilerevision"]),
]  # fmt: skip


def test_what_nobody_else_tells_is_named_and_left(lived: Conversation) -> None:
    for found, damages in LEFT:
        for damage in damages:
            with damaged(damage):
                check_left(found.split())


# What is lost takes more with it, which --repair may mend.
# Each revision begins where the one before it ended all the same, and the last ends with what the entry says.
_OF_ANOTHER_ENTRY = """
UPDATE memory_entryrevision r SET before = before || '{"id": "another"}',
       after = CASE WHEN EXISTS (SELECT FROM memory_entryrevision WHERE entry_id = r.entry_id AND seq > r.seq)
                    THEN after || '{"id": "another"}' ELSE after END
"""
LOST: list[tuple[str, str]] = [
    (
        "turns/without_messages numbers/gap",
        "DELETE FROM relationships_message WHERE turn_id = (SELECT id FROM relationships_turn ORDER BY seq LIMIT 1)",
    ),
    (
        "turns/message_without_turn turns/change_of_no_turn numbers/gap",
        f"DELETE FROM relationships_turn WHERE {FIRST_TURN}",
    ),
    ("profiles/differs", "DELETE FROM relationships_profile"),
    ("profiles/differs", "UPDATE relationships_profile SET data = '{}'"),
    (
        "histories/broken",
        "DELETE FROM memory_entryrevision WHERE event = 'update' AND NOT (after ->> 'pinned')::boolean",
    ),
    ("histories/broken", "DELETE FROM memory_entryrevision WHERE after ->> 'content' = 'Lives in Porto'"),
    ("histories/broken", _OF_ANOTHER_ENTRY),
]


def test_what_is_lost_is_named_whatever_it_takes_with_it(lived: Conversation) -> None:
    lisbon = next(entry for entry in lived.entries if entry.content == "Lives in Lisbon")
    revise(lisbon, pinned=True)
    for found, damage in LOST:
        with damaged(damage):
            report = verify(repair=True)

            assert set(found.split()) <= set(problems(report))
            assert not report.holds


IN_ORDER = [
    "UPDATE relationships_snapshot SET has_archive = NULL",  # of an older release
    "UPDATE relationships_operator SET email = 'Ana@Example.org'",
    f"DELETE FROM memory_embedding WHERE {VECTOR}",  # a gap at an end: the housekeeping fills it
    "UPDATE relationships_turn SET claimed_at = now() + interval '1 hour', settled_at = now() + interval '2 hours'"
    f" WHERE {FIRST_TURN}",  # retried later
]


def test_what_may_be_so_is_no_alarm(lived: Conversation) -> None:
    for change in IN_ORDER:
        with damaged(change):
            check_whole()
