from datetime import timedelta

import pytest
from django.utils import timezone

from memory.entries.editing import revise_entry
from memory.entries.restoring import restore_entry
from memory.forgetting.configuration import Forgetting
from memory.forgetting.forget import BY_FORGETTING, forget_entries, who_has_leaving
from memory.models import EntryState, RevisionEvent, ScratchpadEntry
from relationships.models import Relationship, Snapshot
from tests.fixtures.turns import Conversation
from tests.unit.memory.forgetting.sample import NOW, remember
from web.actor import Actor, ActorKind

OPERATOR = Actor(ActorKind.OPERATOR, "olga")
RULE = Forgetting(policy="retention", retention_days=30)
EXPIRING = RULE.model_copy(update={"then": "expire"})


def forget(relationship: Relationship, rule: Forgetting = RULE, *, limit: int = 100) -> int:
    return forget_entries(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        forgetting=rule,
        now=NOW,
        limit=limit,
    )


def test_what_leaves_moves_to_the_archive_with_a_revision_that_says_why(
    relationship: Relationship, conversation: Conversation
) -> None:
    entry = remember(relationship, "Had a cold", days=40)

    assert forget(relationship) == 1

    last = conversation.revisions[-1]
    assert (last.entry_id, last.event) == (entry.id, RevisionEvent.ARCHIVE)
    assert last.after is not None and last.after["tier"] == "archive"
    assert (last.actor_kind, last.actor_id) == (BY_FORGETTING.kind, BY_FORGETTING.id)
    assert last.reason == "retention: untouched for 40 days, kept for 30"
    assert Snapshot.objects.for_relationship(relationship.id).get().scratchpad == []


@pytest.mark.parametrize("mark", ["pinned", "read_only"])
@pytest.mark.parametrize("rule", [RULE, EXPIRING], ids=["archive", "expire"])
def test_what_is_pinned_or_read_only_never_leaves(
    relationship: Relationship, mark: str, rule: Forgetting
) -> None:
    remember(relationship, "Is allergic to nuts", days=4000, **{mark: True})
    assert forget(relationship, rule) == 0


def test_what_was_archived_is_not_archived_again(relationship: Relationship) -> None:
    remember(relationship, "Had a cold", days=40)
    forget(relationship)
    assert forget(relationship) == 0


def test_what_was_shown_lately_stays(relationship: Relationship) -> None:
    entry = remember(relationship, "Had a cold", days=40)
    ScratchpadEntry.objects.for_relationship(relationship.id).filter(id=entry.id).update(
        last_accessed_at=NOW - timedelta(days=2)
    )
    assert forget(relationship) == 0


def test_what_somebody_brings_back_stays_until_its_time_is_over_again(relationship: Relationship) -> None:
    entry = remember(relationship, "Had a cold", days=40)
    forget(relationship, EXPIRING)

    back = restore_entry(relationship_id=relationship.id, entry_id=entry.id, by=OPERATOR)

    assert back.state == EntryState.ACTIVE
    assert forget(relationship, EXPIRING) == 0
    later = timezone.now() + timedelta(days=31)
    assert who_has_leaving([relationship.id], EXPIRING, later) == [relationship.id]


def test_an_archived_entry_moved_back_by_hand_stays(relationship: Relationship) -> None:
    entry = remember(relationship, "Had a cold", days=40)
    forget(relationship)

    back = {"tier": "scratchpad"}
    revise_entry(relationship_id=relationship.id, entry_id=entry.id, values=back, by=OPERATOR)

    assert forget(relationship) == 0


def test_a_batch_takes_the_longest_untouched_first(
    relationship: Relationship, conversation: Conversation
) -> None:
    for days in (50, 70, 60):
        remember(relationship, f"{days} days ago", days=days)

    assert forget(relationship, EXPIRING, limit=2) == 2

    assert conversation.contents == ["50 days ago"]
    assert forget(relationship, EXPIRING, limit=2) == 1


def test_only_relationships_with_something_to_forget_are_named(relationship: Relationship) -> None:
    remember(relationship, "New", days=1)
    assert who_has_leaving([relationship.id], RULE, NOW) == []
    remember(relationship, "Old", days=31)
    assert who_has_leaving([relationship.id], RULE, NOW) == [relationship.id]


def test_a_relationship_that_was_erased_meanwhile_is_nobody_s_loss(relationship: Relationship) -> None:
    relationship.delete()
    assert forget(relationship) == 0
