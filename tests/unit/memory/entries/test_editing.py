from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone

from memory.entries.adding import add_entry
from memory.entries.editing import delete_entry, revise_entry
from memory.entries.restoring import restore_entry
from memory.models import EntryRevision, EntrySource, EntryState, ScratchpadEntry
from relationships.ids import uuid7
from relationships.models import Relationship, Snapshot
from web.actor import Actor, ActorKind
from web.errors import InvalidInput

ANA = Actor(ActorKind.OPERATOR, "ana@example.org")


def remember(relationship: Relationship, content: str, **values: Any) -> ScratchpadEntry:
    return add_entry(
        relationship=relationship,
        values={"content": content, "type": "other", **values},
        by=ANA,
        source=EntrySource.MANUAL,
    )


def revise(entry: ScratchpadEntry, *, version: int | None = None, **values: Any) -> ScratchpadEntry:
    return revise_entry(
        relationship_id=entry.relationship_id, entry_id=entry.id, values=values, by=ANA, version=version
    )


def ids(entry: ScratchpadEntry) -> dict[str, Any]:
    return {"relationship_id": entry.relationship_id, "entry_id": entry.id, "by": ANA}


def events(relationship: Relationship) -> list[str]:
    return list(
        EntryRevision.objects.for_relationship(relationship.id)
        .order_by("seq")
        .values_list("event", flat=True)
    )


def test_a_revision_keeps_the_old_text_the_actor_and_the_reason(relationship: Relationship) -> None:
    entry = remember(relationship, "Lives in Porto")
    revise_entry(**ids(entry), values={"content": "Lives in Lisbon"}, reason="she told me")

    revision = EntryRevision.objects.for_relationship(relationship.id).latest("seq")
    assert revision.before is not None and revision.after is not None
    assert (revision.before["content"], revision.after["content"]) == ("Lives in Porto", "Lives in Lisbon")
    assert (revision.actor_kind, revision.actor_id, revision.reason) == ("operator", ANA.id, "she told me")
    assert revision.entry_version == 2


def test_restoring_an_expired_entry_takes_its_expiry_away(relationship: Relationship) -> None:
    entry = remember(relationship, "On holiday", expires_at=timezone.now() - timedelta(days=1))
    ScratchpadEntry.objects.for_relationship(relationship.id).update(state=EntryState.EXPIRED)

    assert restore_entry(**ids(entry)).expires_at is None


def test_moving_to_the_archive_says_so_and_leaves_the_scratchpad(relationship: Relationship) -> None:
    entry = remember(relationship, "Likes tea")
    revise(entry, tier="archive")

    assert events(relationship) == ["add", "archive"]
    assert Snapshot.objects.get().scratchpad == []


def test_new_content_is_as_new_as_the_edit_and_other_changes_are_not(relationship: Relationship) -> None:
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    entry = remember(relationship, "Likes tea", effective_at=long_ago)

    assert revise(entry, pinned=True).effective_at == long_ago
    assert revise(entry, content="Likes rain").effective_at > long_ago


def test_a_change_and_its_revision_stand_or_fall_together(relationship: Relationship) -> None:
    entry = remember(relationship, "Likes tea")
    take_the_next_seq(relationship)

    with pytest.raises(IntegrityError):
        revise(entry, content="Likes rain")

    assert ScratchpadEntry.objects.get().content == "Likes tea"
    assert [line[2] for line in Snapshot.objects.get().scratchpad] == ["Likes tea"]


def take_the_next_seq(relationship: Relationship) -> None:
    """Put something where the next revision would go, so that writing history fails."""
    last = EntryRevision.objects.for_relationship(relationship.id).latest("seq")
    EntryRevision(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        entry_id=uuid7(),
        entry_version=1,
        seq=last.seq + 1,
        event="none",
        actor_kind="policy",
        recorded_at=last.recorded_at,
        effective_at=last.effective_at,
    ).save(force_insert=True)


BEYOND: dict[str, Any] = {
    "content": "x" * 4097,
    "type": "No Type",
    "subject": "a\nb",
    "key": "k" * 81,
    "weight": 100.5,
    "tags": {str(number): "" for number in range(13)},
    "metadata": {"text": "x" * 16_384},
}


@pytest.mark.parametrize("name", list(BEYOND))
def test_no_writer_goes_beyond_the_limits_of_an_entry(relationship: Relationship, name: str) -> None:
    """Whatever the page or call is that it comes by."""
    entry = remember(relationship, "Likes tea")

    with pytest.raises(InvalidInput) as revised:
        revise(entry, **{name: BEYOND[name]})
    with pytest.raises(InvalidInput) as added:
        remember(relationship, **{"content": "Likes cake", name: BEYOND[name]})

    for refused in (revised, added):
        assert [problem.field for problem in refused.value.problems] == [name]
    assert events(relationship) == ["add"]


def test_an_entry_from_before_a_limit_can_still_be_pinned_shortened_and_deleted(
    relationship: Relationship,
) -> None:
    entry = remember(relationship, "Likes tea")
    ScratchpadEntry.objects.for_relationship(relationship.id).update(content="x" * 5000)

    assert revise(entry, pinned=True).pinned
    assert len(revise(entry, content="x" * 4000).content) == 4000
    assert delete_entry(**ids(entry)).state == EntryState.DELETED
