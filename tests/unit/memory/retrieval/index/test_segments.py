"""Segments of the index: a search finds the same with them and without, and nothing that is gone is left in them."""

from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.ingestion.intake import retry_turn
from memory.models import SearchedKind, SearchSegment
from memory.retrieval.index.backfill import rebuild_index
from memory.retrieval.index.segments import SEGMENT
from memory.retrieval.index.write import forget_texts
from memory.retrieval.results import MessageFilters, SearchResult
from relationships.ids import uuid7
from relationships.models import Message, Relationship, Turn
from tests.fixtures.contexts import NOON
from tests.unit.memory.retrieval.searched import Memory, contents
from tests.unit.memory.retrieval.test_columns import read

WORDS = "tea coffee lisbon porto nurse cello o'clock a\\b 'quoted' naïve 茶を飲む 😀".split()


def long_talk(memory: Memory, count: int = 3 * SEGMENT) -> list[Message]:
    return memory.say(*[f"Message {place} about {WORDS[place % len(WORDS)]}" for place in range(count)])


def numbers(memory: Memory) -> list[int]:
    rows = SearchSegment.objects.for_relationship(memory.relationship.id)
    return sorted(rows.values_list("number", flat=True))


def told(found: SearchResult) -> list[Any]:
    return [(hit.id, round(hit.score, 9), dict(hit.parts)) for hit in found.hits]


def dump(memory: Memory) -> str:
    """All that the database holds of the segments, as a dump would write it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(s::text, ' ') FROM memory_searchsegment s")
        return str(cursor.fetchone()[0])


def test_segments_are_packed_as_their_last_place_is_taken(memory: Memory) -> None:
    memory.say(*["tea"] * (SEGMENT - 2))  # places count from 1
    assert numbers(memory) == []
    memory.say("tea")
    assert numbers(memory) == [0]
    memory.say(*["tea"] * (2 * SEGMENT))
    assert numbers(memory) == [0, 1, 2]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(
        st.lists(st.sampled_from(WORDS), max_size=200).map(" ".join), min_size=1, max_size=2 * SEGMENT
    ),
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
)
def test_what_is_found_is_the_same_with_segments_and_without(
    memory: Memory, texts: list[str], query: str
) -> None:
    memory.say(*texts)
    filters = MessageFilters(roles=("user",), session="current")
    packed = [memory.messages(query, top_k=50), memory.messages(query, filters=filters)]
    there = numbers(memory)

    SearchSegment.objects.for_relationship(memory.relationship.id).delete()

    assert [told(memory.messages(query, top_k=50)), told(memory.messages(query, filters=filters))] == [
        told(found) for found in packed
    ]
    rebuild_index(memory.relationship.id)
    assert numbers(memory) == there


def test_a_word_said_very_often_counts_up_to_a_limit(memory: Memory) -> None:
    memory.say("tea " * 300, *["coffee"] * SEGMENT)
    columns = read(memory, "tea", kind=SearchedKind.MESSAGE)
    assert columns.counts.count.tolist() == [127]


def test_what_is_erased_is_in_no_segment_from_the_same_transaction_on(memory: Memory) -> None:
    messages = long_talk(memory)
    secret = messages[5]
    memory.say("filler")
    assert secret.id.hex in dump(memory) and "lisbon" in dump(memory)

    gone = [message for message in messages if "lisbon" in message.content]
    forget_texts(
        relationship_id=memory.relationship.id,
        kind=SearchedKind.MESSAGE,
        owner_ids=[message.id for message in [secret, *gone]],
    )

    assert secret.id.hex not in dump(memory) and "lisbon" not in dump(memory)
    assert numbers(memory) == [0, 1, 2]
    assert contents(memory.messages("lisbon")) == []


def test_what_was_off_the_record_is_packed_once_it_is_read_after_all(
    memory: Memory, relationship: Relationship
) -> None:
    messages = long_talk(memory)
    turns = {message.turn_id for message in messages[2:4]}
    for message in messages[2:4]:
        Turn.objects.create(
            relationship=relationship,
            project_id=relationship.project_id,
            id=message.turn_id,
            seq=10_000 + message.seq,
            session="current",
            state="skipped",
            error_code="paused",
            occurred_at=NOON,
        )
    rebuild_index(relationship.id)
    assert messages[2].id.hex not in dump(memory) and messages[4].id.hex in dump(memory)

    for turn_id in turns:
        retry_turn(relationship_id=relationship.id, turn_id=turn_id)

    assert messages[2].id.hex in dump(memory)


@pytest.mark.parametrize("count", [3, SEGMENT * 2])
def test_the_same_filters_pass_the_same_messages(memory: Memory, count: int) -> None:
    memory.say(*["tea"] * count)
    later = Message.objects.bulk_create(
        Message(
            **memory.own,
            turn_id=uuid7(),
            seq=count + place,
            session="other",
            role="tool",
            content="tea",
            occurred_at=NOON.replace(year=2027),
        )
        for place in (1, 2)
    )
    rebuild_index(memory.relationship.id)

    def found(**filters: Any) -> int:
        return len(memory.messages("tea", filters=MessageFilters(**filters), top_k=1000).hits)

    assert found() == count + 2
    assert found(roles=("tool",)) == found(session="other") == 2
    assert found(told_from=NOON.replace(year=2027)) == 2
    assert found(told_to=NOON.replace(year=2027)) == count
    assert found(without=(later[0].seq,)) == count + 1
