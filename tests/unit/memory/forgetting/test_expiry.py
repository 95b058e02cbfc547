from datetime import UTC, datetime, timedelta

import pytest

from memory.entries import history
from memory.entries.adding import add_entry
from memory.entries.history import ChangedEntries
from memory.forgetting.expiry import BY_EXPIRY, expire_entries
from memory.models import EntrySource, EntryState, RevisionEvent, ScratchpadEntry
from relationships.models import Relationship, Snapshot
from tests.fixtures.people import meet_elsewhere
from tests.fixtures.turns import Conversation
from web.actor import Actor

BY = Actor.policy("test")
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def remember(relationship: Relationship, content: str, *, until: datetime | None) -> ScratchpadEntry:
    values = {"content": content, "type": "event", "expires_at": until}
    return add_entry(relationship=relationship, values=values, by=BY, source=EntrySource.MANUAL)


def test_what_is_over_expires_visibly_and_the_rest_stays(
    relationship: Relationship, conversation: Conversation
) -> None:
    over = remember(relationship, "Is at the dentist", until=NOON)
    remember(relationship, "Is on holiday", until=NOON + timedelta(days=7))
    remember(relationship, "Lives in Lisbon", until=None)

    assert expire_entries(NOON) == 1

    assert conversation.contents == ["Lives in Lisbon", "Is on holiday"]
    last = conversation.revisions[-1]
    assert (last.entry_id, last.event) == (over.id, RevisionEvent.EXPIRE)
    assert (last.actor_kind, last.actor_id) == (BY_EXPIRY.kind, BY_EXPIRY.id)
    assert last.effective_at == NOON


def test_the_snapshot_forgets_what_is_over_and_expiring_twice_is_expiring_once(
    relationship: Relationship, conversation: Conversation
) -> None:
    remember(relationship, "Is at the dentist", until=NOON)
    expire_entries(NOON)
    assert Snapshot.objects.for_relationship(relationship.id).get().scratchpad == []
    before = len(conversation.revisions)
    assert expire_entries(NOON) == 0
    assert len(conversation.revisions) == before


def test_only_so_many_relationships_are_looked_at_in_one_go(relationship: Relationship) -> None:
    remember(relationship, "Is at the dentist", until=NOON)
    assert expire_entries(NOON, limit=0) == 0
    rows = ScratchpadEntry.objects.for_relationship(relationship.id)
    assert rows.get().state == EntryState.ACTIVE


def test_one_whose_change_fails_keeps_no_other_from_expiring(
    relationship: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = sorted([relationship, meet_elsewhere()], key=lambda each: each.id)
    entries = [remember(each, "Is at the dentist", until=NOON) for each in (first, second)]

    def refuse_the_first(changed: ChangedEntries) -> None:
        if changed.relationship_id == first.id:
            raise ValueError("of an app of somebody's own")

    monkeypatch.setattr(history, "change_listeners", [*history.change_listeners, refuse_the_first])

    assert expire_entries(NOON) == 1
    for entry in entries:
        entry.refresh_from_db()
    assert [entry.state for entry in entries] == [EntryState.ACTIVE, EntryState.EXPIRED]
