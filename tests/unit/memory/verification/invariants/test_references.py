from typing import Any
from uuid import uuid4

from django.utils import timezone

from memory.models import HeldDeletion, HeldState, ModelCall, ScratchpadEntry
from memory.services.turns import ROUTE, Idempotency, accept_turn
from relationships.models import IdempotencyKey
from relationships.services.turns import NewMessage, NewTurn
from tests.fixtures.turns import Conversation
from tests.unit.memory.verification.damage import check_left, check_mended, check_whole, unguarded


def test_a_citation_of_a_message_that_is_not_there_is_named(lived: Conversation) -> None:
    cat = next(entry for entry in lived.entries if entry.source_message_ids)
    with unguarded():
        gone = [uuid4()]
        ScratchpadEntry.objects.filter(id=cat.id).update(source_message_ids=gone)
        last = [revision for revision in lived.revisions if revision.entry_id == cat.id][-1]
        type(last).objects.filter(id=last.id).update(
            after={**(last.after or {}), "source_message_ids": [str(gone[0])]}
        )

    check_left(["references/citation"])


def hold(lived: Conversation, **values: Any) -> HeldDeletion:
    usual = {
        "turn_id": lived.revisions[-2].turn_id,
        "deletions": [{"entry_id": str(lived.entries[0].id)}],
        "relationship_id": lived.relationship.id,
        "project_id": lived.relationship.project_id,
    }
    held = HeldDeletion(**(usual | values))
    held.save(force_insert=True)
    return held


def test_a_held_deletion_of_what_is_there_is_in_order(lived: Conversation) -> None:
    hold(lived)

    check_whole()


def test_a_held_deletion_of_an_unknown_entry_is_named_until_it_is_decided(lived: Conversation) -> None:
    held = hold(lived, deletions=[{"entry_id": str(uuid4())}])

    check_left(["references/held_deletion"])

    HeldDeletion.objects.filter(id=held.id).update(state=HeldState.DECLINED)
    check_whole()


def test_a_held_deletion_of_an_unknown_turn_is_named(lived: Conversation) -> None:
    hold(lived, turn_id=uuid4())

    check_left(["references/held_deletion"])


def test_a_model_call_for_turns_that_are_not_there_is_named(lived: Conversation) -> None:
    with unguarded():
        ModelCall.objects.update(turn_ids=[uuid4()])

    check_left(["references/model_call"])


def test_an_idempotency_key_of_nothing_goes_so_that_the_call_can_be_made(lived: Conversation) -> None:
    new = NewTurn([NewMessage("user", "Once")], occurred_at=timezone.now())
    accept_turn(relationship=lived.relationship, new=new, idempotency=Idempotency("k", b"h" * 32))
    IdempotencyKey.objects.filter(route=ROUTE).update(resource_id=uuid4())

    check_mended(["references/idempotency_key"])

    assert not IdempotencyKey.objects.exists()
