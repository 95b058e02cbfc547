from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from memory.entries.editing import delete_entry, revise_entry
from memory.entries.history import fields_of
from memory.entries.restoring import restore_entry
from memory.entries.time_travel import changes_of, lines_at
from memory.errors import EntryNotActive, SameAsAnother
from memory.forgetting.expiry import expire_entries
from memory.ingestion.configuration import Ingestion
from memory.ingestion.overflow import overflow_scratchpad
from memory.models import EntryState, ScratchpadEntry
from relationships.ids import relationship_id
from relationships.models import Companion, EndUser, Project, Relationship
from relationships.services.sequence import lock_relationship
from tests.fixtures.past import entries_at
from tests.unit.memory.entries.test_editing import ANA, remember
from upkeep.erasure.entries import erase_entry

MARCH = datetime(2026, 3, 1, tzinfo=UTC)


def past(relationship: Relationship, **times: datetime) -> list[ScratchpadEntry]:
    return entries_at(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        as_of=times.get("as_of"),
        known_at=times.get("known_at"),
        now=timezone.now(),
    )


def active(entries: list[ScratchpadEntry]) -> list[str]:
    return [entry.content for entry in entries if entry.state == EntryState.ACTIVE]


def test_what_was_true_then_goes_by_when_it_was_said(relationship: Relationship) -> None:
    remember(relationship, "Lives in Porto", effective_at=MARCH, key="city", single_valued=True)
    later = MARCH + timedelta(days=10)
    remember(relationship, "Likes rain", effective_at=later)

    assert active(past(relationship, as_of=MARCH - timedelta(seconds=1))) == []
    assert active(past(relationship, as_of=MARCH)) == ["Lives in Porto"]
    assert active(past(relationship, as_of=later)) == ["Likes rain", "Lives in Porto"]


@pytest.mark.parametrize("days", [0, 10], ids=["of one date", "of a later date"])
def test_a_key_had_one_value_at_every_moment(relationship: Relationship, days: int) -> None:
    changed = MARCH + timedelta(days=days)
    remember(relationship, "Lives in Porto", effective_at=MARCH, key="city", single_valued=True)
    remember(relationship, "Lives in Lisbon", effective_at=changed, key="city", single_valued=True)

    assert active(past(relationship, as_of=changed)) == ["Lives in Lisbon"]
    assert active(past(relationship, as_of=changed + timedelta(days=1))) == ["Lives in Lisbon"]
    if days:
        assert active(past(relationship, as_of=changed - timedelta(days=1))) == ["Lives in Porto"]


def test_a_key_that_is_restored_has_its_value_from_today(relationship: Relationship) -> None:
    porto = remember(relationship, "Lives in Porto", effective_at=MARCH, key="city", single_valued=True)
    moved = MARCH + timedelta(days=10)
    remember(relationship, "Lives in Lisbon", effective_at=moved, key="city", single_valued=True)

    restore_entry(relationship_id=relationship.id, entry_id=porto.id, by=ANA)

    assert active(past(relationship, as_of=moved)) == ["Lives in Lisbon"]
    assert active(past(relationship, as_of=timezone.now())) == ["Lives in Porto"]


def test_what_was_known_then_goes_by_when_it_was_written(relationship: Relationship) -> None:
    entry = remember(relationship, "Likes tea", effective_at=MARCH)
    before_the_edit = timezone.now()
    revise_entry(relationship_id=relationship.id, entry_id=entry.id, values={"content": "Likes rain"}, by=ANA)
    before_the_deletion = timezone.now()
    delete_entry(relationship_id=relationship.id, entry_id=entry.id, by=ANA)

    assert active(past(relationship, known_at=MARCH)) == []
    assert active(past(relationship, known_at=before_the_edit)) == ["Likes tea"]
    assert active(past(relationship, known_at=before_the_deletion)) == ["Likes rain"]
    assert active(past(relationship, known_at=timezone.now())) == []


def test_at_the_moment_of_a_change_it_is_known(relationship: Relationship) -> None:
    entry = remember(relationship, "Likes tea")

    assert active(past(relationship, known_at=entry.recorded_at)) == ["Likes tea"]
    assert active(past(relationship, as_of=entry.effective_at)) == ["Likes tea"]


def test_what_was_erased_is_in_no_past(relationship: Relationship) -> None:
    entry = remember(relationship, "Has a secret")
    then = timezone.now()
    erase_entry(relationship_id=relationship.id, entry_id=entry.id, by=ANA, messages="redact")

    assert past(relationship, known_at=then) == []


@pytest.mark.parametrize("days", [-1, 0, 5, 10, 20])
def test_the_lines_of_a_moment_are_the_active_entries_of_that_moment(
    relationship: Relationship, days: int
) -> None:
    entry = remember(relationship, "Lives in Porto", effective_at=MARCH)
    remember(relationship, "Likes rain", effective_at=MARCH + timedelta(days=10))
    revise_entry(
        relationship_id=relationship.id,
        entry_id=entry.id,
        values={"content": "Lives in Faro", "effective_at": MARCH + timedelta(days=5)},
        by=ANA,
    )
    at = MARCH + timedelta(days=days)

    lines = lines_at(changes_of(relationship.id, known=False), at)

    assert [line.content for line in lines] == active(past(relationship, as_of=at))


def test_the_past_costs_one_query(relationship: Relationship, django_assert_num_queries: Any) -> None:
    for number in range(20):
        remember(relationship, f"Fact {number}")

    with django_assert_num_queries(1):
        past(relationship, known_at=timezone.now())


CHANGE = st.tuples(
    st.sampled_from(
        ["add", "late add", "key", "revise", "pin", "archive", "overflow", "delete", "restore", "expire"]
    ),
    st.integers(0, 5),
)


class NowIsThePresent(TestCase):
    @given(st.lists(CHANGE, max_size=12))
    @examples(max_examples=15)
    def test_the_replay_of_now_equals_the_present_whatever_happened(
        self, changes: list[tuple[str, int]]
    ) -> None:
        relationship = new_relationship()
        for place, (change, number) in enumerate(changes):
            try:
                make(change, number, place, relationship)
            except (EntryNotActive, SameAsAnother):
                continue

        now = timezone.now()
        present = ScratchpadEntry.objects.for_relationship(relationship.id).newest_first()
        wanted = [fields_of(entry) for entry in present]
        for times in ({"as_of": now}, {"known_at": now}, {"as_of": now, "known_at": now}):
            assert [fields_of(entry) for entry in past(relationship, **times)] == wanted


def make(change: str, number: int, place: int, relationship: Relationship) -> None:
    if change == "add":
        remember(relationship, f"Fact {number}")
    elif change == "late add":
        remember(relationship, f"Old fact {number}", effective_at=MARCH + timedelta(days=number))
    elif change == "key":
        remember(relationship, f"Lives in {number}", key="city", single_valued=True)
    elif change == "expire":
        remember(relationship, f"Soon over {number}", expires_at=timezone.now() - timedelta(hours=number))
        expire_entries(timezone.now())
    elif change == "overflow":
        overflow(relationship)
    else:
        entries = list(ScratchpadEntry.objects.for_relationship(relationship.id).newest_first())
        if entries:
            revise(change, place, entries[number % len(entries)])


@transaction.atomic
def overflow(relationship: Relationship) -> None:
    lock_relationship(relationship.id)
    overflow_scratchpad(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        ingestion=Ingestion(soft_budget=12),
        written=(),
        now=timezone.now(),
    )


def revise(change: str, place: int, entry: ScratchpadEntry) -> None:
    ids: dict[str, Any] = {"relationship_id": entry.relationship_id, "entry_id": entry.id, "by": ANA}
    if change == "delete":
        delete_entry(**ids)
    elif change == "restore":
        restore_entry(**ids)
    else:
        values: dict[str, dict[str, Any]] = {
            "revise": {"content": f"Edit {place}"},
            "pin": {"pinned": True},
            "archive": {"tier": "archive"},
        }
        revise_entry(**ids, values=values[change])


def new_relationship() -> Relationship:
    project = Project.objects.create(name="Past")
    companion = Companion.objects.create(project=project, slug="ada", name="Ada")
    user = EndUser.objects.create(project=project, external_id="maya")
    pair = relationship_id(companion.id, user.id)
    return Relationship.objects.create(id=pair, project=project, companion=companion, user=user)


@pytest.mark.parametrize("times", [("as_of",), ("known_at",), ("as_of", "known_at")])
def test_a_time_to_come_is_now(relationship: Relationship, times: tuple[str, ...]) -> None:
    remember(relationship, "Likes tea")

    assert active(past(relationship, **dict.fromkeys(times, datetime(2999, 1, 1, tzinfo=UTC)))) == [
        "Likes tea"
    ]
