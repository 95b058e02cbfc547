from datetime import timedelta

from django.utils import timezone

from memory.models import DecayFold, IndexPurpose, IndexState, LargeIndex, ScratchpadEntry
from memory.retrieval.decay.duties import decay_duties, fold_what_is_stale
from relationships.models import Companion, Relationship
from tests.unit.memory.retrieval.large.conftest import MakeLarge
from tests.unit.memory.retrieval.large.sample import NOON, fill


def decaying(relationship: Relationship, make_large: MakeLarge) -> list[ScratchpadEntry]:
    config = {"retrieval": {"ranker": "decay", "half_life_days": 7}}
    Companion.objects.filter(id=relationship.companion_id).update(config=config)
    fill(relationship, 150)
    make_large(relationship)
    return list(ScratchpadEntry.objects.for_relationship(relationship.id).order_by("id"))


def test_what_became_stale_is_folded_anew(relationship: Relationship, make_large: MakeLarge) -> None:
    entry = decaying(relationship, make_large)[0]
    rows = ScratchpadEntry.objects.for_relationship(relationship.id)
    rows.filter(id=entry.id).update(importance=0.123)

    assert fold_what_is_stale(timezone.now()) == 1
    assert fold_what_is_stale(timezone.now()) == 0
    assert DecayFold.objects.for_relationship(relationship.id).get(owner_id=entry.id).importance == 0.123


def test_a_reference_that_has_to_move_wants_the_index_anew(
    relationship: Relationship, make_large: MakeLarge
) -> None:
    entry = decaying(relationship, make_large)[0]
    rows = ScratchpadEntry.objects.for_relationship(relationship.id)
    rows.filter(id=entry.id).update(effective_at=NOON + timedelta(days=7 * 61))

    fold_what_is_stale(timezone.now())

    index = LargeIndex.objects.for_relationship(relationship.id).get(purpose=IndexPurpose.DECAY)
    assert (index.state, index.due_at is not None) == (IndexState.WANTED, True)


def test_the_house_keeps_this_duty() -> None:
    assert [duty.name for duty in decay_duties()] == ["fold_stale_entries"]
