from uuid import UUID, uuid4

from django.utils import timezone

from memory.ingestion.intake import ROUTE, Idempotency, accept_turn
from memory.models import HeldDeletion, HeldState, ModelCall, OperationResult, ScratchpadEntry
from relationships.models import IdempotencyKey, Turn
from relationships.services.turns import NewMessage, NewTurn
from tests.fixtures.turns import Conversation, hold_deletions
from tests.unit.upkeep.verification.damage import (
    check_left,
    check_mended,
    check_whole,
    imported,
    problems,
    run,
    unguarded,
)
from upkeep.verification import verify


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


def hold(lived: Conversation, entry_id: UUID) -> HeldDeletion:
    return hold_deletions(Turn.objects.order_by("seq")[0], entry_id)


def test_a_held_deletion_of_what_is_there_is_in_order(lived: Conversation) -> None:
    hold(lived, lived.entries[0].id)

    check_whole()


def test_a_held_deletion_of_an_unknown_entry_is_named_until_it_is_decided(lived: Conversation) -> None:
    held = hold(lived, uuid4())

    check_left(["references/held_deletion"])

    HeldDeletion.objects.filter(id=held.id).update(state=HeldState.DECLINED)
    check_whole()


def test_a_held_deletion_goes_with_its_turn(lived: Conversation) -> None:
    held = hold(lived, lived.entries[0].id)

    Turn.objects.filter(id=held.turn_id).delete()

    assert not HeldDeletion.objects.exists()
    assert not OperationResult.objects.filter(turn_id=held.turn_id).exists()


def test_a_model_call_for_turns_that_are_not_there_is_named(lived: Conversation) -> None:
    with unguarded():
        ModelCall.objects.update(turn_ids=[uuid4()])

    check_left(["references/model_call"])


def test_a_lost_call_that_a_turn_cites_is_named(lived: Conversation) -> None:
    turn = Turn.objects.for_relationship(lived.relationship.id).order_by("seq")[0]
    with unguarded():
        run("DELETE FROM memory_modelcall WHERE id = ANY(%s)", turn.model_call_ids)

    report = check_left(["references/lost_call"])

    [tally] = report.tallies.values()
    assert [(finding.row_id, finding.detail) for finding in tally.examples] == [(turn.id, "1 calls")]


def test_calls_that_an_import_left_behind_are_not_lost_and_those_it_brought_are(lived: Conversation) -> None:
    without = imported(lived.relationship, "without", calls=False)
    with_calls = imported(lived.relationship, "with", calls=True)
    check_whole()
    Conversation(without).hear("I swim, too")
    check_whole()

    with unguarded():
        run("DELETE FROM memory_modelcall")

    assert problems(verify(relationship_id=without.id)) == {"references/lost_call": 1}
    assert problems(verify(relationship_id=with_calls.id)) == {"references/lost_call": 2}


def test_an_idempotency_key_of_nothing_goes_so_that_the_call_can_be_made(lived: Conversation) -> None:
    new = NewTurn([NewMessage("user", "Once")], occurred_at=timezone.now())
    accept_turn(relationship=lived.relationship, new=new, idempotency=Idempotency("k", b"h" * 32))
    IdempotencyKey.objects.filter(route=ROUTE).update(resource_id=uuid4())

    check_mended(["references/idempotency_key"])

    assert not IdempotencyKey.objects.exists()
