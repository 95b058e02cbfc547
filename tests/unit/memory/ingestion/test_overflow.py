from datetime import UTC, datetime, timedelta
from math import inf
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from memory.ingestion.configuration import Ingestion
from memory.ingestion.overflow import (
    LOW_WATER,
    TOKENS_AROUND_A_LINE,
    TOKENS_PER_BYTE,
    overflow_scratchpad,
)
from memory.models import EntryRevision, RevisionEvent, ScratchpadEntry, Tier
from providers.tokens import line_tokens
from relationships.models import Relationship
from relationships.services.sequence import lock_relationship
from tests.fixtures.contexts import remember
from tests.fixtures.turns import Conversation, hold_deletions
from tests.wire import statements_sent

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
BUDGET = 200


def overflow(
    relationship: Relationship, *written: UUID, at_most: float = inf, **ingestion: Any
) -> list[EntryRevision]:
    with transaction.atomic():
        lock_relationship(relationship.id)
        return overflow_scratchpad(
            relationship_id=relationship.id,
            project_id=relationship.project_id,
            ingestion=Ingestion(**{"soft_budget": BUDGET, **ingestion}),
            written=written,
            at_most=at_most,
            now=NOON,
        )


def dishes(relationship: Relationship, count: int, **values: Any) -> list[ScratchpadEntry]:
    """Entries of ten tokens each, the later the newer."""
    return [
        entry
        for place in range(count)
        for entry in remember(
            relationship,
            f"Likes the dish with the number {place:03}",
            **{"effective_at": NOON - (count - place) * DAY, **values},
        )
    ]


def tier_of(entry: ScratchpadEntry) -> str:
    return str(ScratchpadEntry.objects.for_relationship(entry.relationship_id).get(id=entry.id).tier)


def in_scratchpad(relationship: Relationship) -> list[ScratchpadEntry]:
    return list(ScratchpadEntry.objects.for_relationship(relationship.id).active().in_scratchpad())


def test_a_long_list_leaves_in_parts_so_that_nobody_waits_for_the_lock(
    relationship: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = dishes(relationship, 32)
    monkeypatch.setattr("memory.ingestion.overflow.MOST_AT_ONCE", 10)

    assert [len(overflow(relationship)) for _ in range(3)] == [10, 6, 0]
    assert {entry.id for entry in in_scratchpad(relationship)} == {entry.id for entry in known[16:]}


def test_within_the_budget_nothing_leaves_and_no_entry_is_read(relationship: Relationship) -> None:
    dishes(relationship, 15)

    with statements_sent() as sent:
        assert overflow(relationship, at_most=BUDGET) == []

    assert len(sent) == 3  # the transaction's two, and the lock


def test_past_the_budget_the_least_salient_leave_until_there_is_room_again(
    relationship: Relationship,
) -> None:
    entries = dishes(relationship, 25)
    cost = line_tokens(entries[0].content)

    revisions = overflow(relationship)

    left = in_scratchpad(relationship)
    used = cost * len(left)
    assert used <= LOW_WATER * BUDGET < used + cost
    assert [revision.entry_id for revision in revisions] == [entry.id for entry in entries[: len(revisions)]]
    assert len(left) + len(revisions) == 25


def test_each_move_is_a_revision_that_gives_the_figures(relationship: Relationship) -> None:
    entries = dishes(relationship, 25, importance=0.6)

    revision = overflow(relationship)[0]

    assert (revision.event, revision.actor_kind, revision.actor_id) == ("archive", "policy", "overflow")
    assert revision.before is not None and revision.after is not None
    assert revision.before["tier"] == "scratchpad" and revision.after["tier"] == "archive"
    assert revision.entry_version == revision.after["version"] == 2
    row = ScratchpadEntry.objects.for_relationship(relationship.id).get(id=entries[0].id)
    assert (row.tier, row.version, row.state) == (Tier.ARCHIVE, 2, "active")
    assert revision.reason.startswith(f"the scratchpad took {25 * line_tokens(row.content)} of 200 tokens; ")
    assert "counted 0.6" in revision.reason


def test_what_counts_more_stays_though_it_is_older(relationship: Relationship) -> None:
    (name,) = remember(relationship, "Is called Maya", type="identity", effective_at=NOON - 900 * DAY)
    (weighty,) = remember(relationship, "Hates cilantro", weight=3.0, effective_at=NOON - 900 * DAY)
    (doubtful,) = remember(relationship, "May own a boat", confidence=0.3, effective_at=NOON)
    dishes(relationship, 22)

    overflow(relationship)

    assert [tier_of(entry) for entry in (name, weighty, doubtful)] == ["scratchpad", "scratchpad", "archive"]


@pytest.mark.parametrize(
    ("over", "told", "tier"),
    [(40, 60, "archive"), (20, 60, "scratchpad"), (40, 30, "scratchpad")],
    ids=["over for long", "over of late", "told since"],
)
def test_a_plan_counts_as_what_happened_when_nobody_told_for_a_month_how_it_went(
    relationship: Relationship, over: int, told: int, tier: str
) -> None:
    (plan,) = remember(
        relationship,
        "Agreed with Ana to try the new pool",
        type="agreement",
        happens_at=NOON - over * DAY,
        effective_at=NOON - told * DAY,
    )
    dishes(relationship, 20, type="preference")

    overflow(relationship)

    assert tier_of(plan) == tier


@pytest.mark.parametrize(
    "values",
    [
        {"pinned": True},
        {"read_only": True},
        {"key": "city", "single_valued": True},
        {"happens_at": NOON + DAY},
        {"valid_from": NOON + DAY},
    ],
    ids=lambda values: next(iter(values)),
)
def test_some_stay_whatever_they_count(relationship: Relationship, values: dict[str, Any]) -> None:
    (stays,) = remember(
        relationship, "Is this and that", importance=0.0, effective_at=NOON - 99 * DAY, **values
    )
    dishes(relationship, 25)

    assert overflow(relationship)
    assert tier_of(stays) == Tier.SCRATCHPAD


def test_what_this_turn_wrote_does_not_leave_at_once(relationship: Relationship) -> None:
    entries = dishes(relationship, 25)
    fresh = {entry.id for entry in entries[:5]}

    leaving = {revision.entry_id for revision in overflow(relationship, *fresh)}

    assert leaving and not leaving & fresh


def test_what_a_person_is_asked_to_delete_waits_as_it_is(relationship: Relationship) -> None:
    entries = dishes(relationship, 25)
    hold_deletions(Conversation(relationship).say("Forget it all."), entries[0].id)

    overflow(relationship)

    assert [tier_of(entry) for entry in entries[:2]] == ["scratchpad", "archive"]


def test_where_all_have_to_stay_the_scratchpad_stays_above_its_budget(relationship: Relationship) -> None:
    dishes(relationship, 30, pinned=True)

    assert overflow(relationship) == []


@pytest.mark.parametrize("ingestion", [{"overflow": "keep"}, {"soft_budget": 0}], ids=["keep", "no budget"])
def test_a_companion_can_keep_all(relationship: Relationship, ingestion: dict[str, Any]) -> None:
    dishes(relationship, 30)

    assert overflow(relationship, **ingestion) == []


def test_what_is_over_takes_no_room(relationship: Relationship) -> None:
    dishes(relationship, 15)
    dishes(relationship, 15, valid_to=NOON - DAY, subject="Ana")

    assert overflow(relationship) == []


def test_an_overflow_costs_the_same_number_of_statements_whatever_leaves(relationship: Relationship) -> None:
    dishes(relationship, 60)

    with statements_sent() as sent:
        revisions = overflow(relationship)

    assert len(revisions) > 30 and {revision.event for revision in revisions} == {RevisionEvent.ARCHIVE}
    assert len(sent) == 9


@given(st.lists(st.text(min_size=1), max_size=20))
def test_the_sum_that_spares_the_reading_is_never_too_low(contents: list[str]) -> None:
    size = sum(len(content.encode("utf-8", "surrogatepass")) for content in contents)

    most = TOKENS_PER_BYTE * size + TOKENS_AROUND_A_LINE * len(contents)

    assert most >= sum(line_tokens(content) for content in contents) - 1e-6
