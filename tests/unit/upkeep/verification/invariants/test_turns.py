from datetime import timedelta
from uuid import uuid4

from memory.models import EntryRevision, OperationResult
from relationships.models import Message, Turn
from tests.fixtures.turns import Conversation
from tests.unit.upkeep.verification.damage import check_left, problems, unguarded
from upkeep.verification import verify


def test_a_turn_without_its_messages_is_named(lived: Conversation) -> None:
    turn = lived.say("One more thing")
    with unguarded():
        Message.objects.filter(turn_id=turn.id).delete()

    assert {"turns/without_messages", "numbers/gap"} <= set(problems(verify()))


def test_a_message_and_a_change_of_a_turn_that_is_lost_are_named(lived: Conversation) -> None:
    turn = Turn.objects.order_by("seq")[0]
    Turn.objects.filter(id=turn.id).delete()

    found = problems(verify(repair=True))

    assert {"turns/message_without_turn", "turns/change_of_no_turn", "numbers/gap"} <= set(found)


def test_a_turn_that_would_be_read_again_is_named(lived: Conversation) -> None:
    Turn.objects.update(state="failed")

    check_left(["turns/not_applied"])


def test_a_turn_that_was_applied_twice_is_named(lived: Conversation) -> None:
    revision = EntryRevision.objects.filter(actor_kind="model").order_by("seq")[0]
    with unguarded():
        EntryRevision.objects.filter(id=revision.id).update(
            recorded_at=revision.recorded_at + timedelta(seconds=9)
        )

    check_left(["turns/applied_twice"])


def test_an_operation_that_left_no_revision_is_named(lived: Conversation) -> None:
    turn = Turn.objects.order_by("seq")[0]
    OperationResult.objects.filter(turn_id=turn.id, number=0).update(entry_id=uuid4())

    check_left(["turns/not_written"])


def test_a_later_turn_that_was_applied_meanwhile_is_named(lived: Conversation) -> None:
    first, later = Turn.objects.order_by("seq")[:2]
    hours = timedelta(hours=1)
    Turn.objects.filter(id=first.id).update(
        claimed_at=later.settled_at - hours, settled_at=later.settled_at + hours
    )

    check_left(["turns/overtaken"])


def test_a_turn_that_was_retried_later_is_in_order(lived: Conversation) -> None:
    first, later = Turn.objects.order_by("seq")[:2]
    hours = timedelta(hours=1)
    Turn.objects.filter(id=first.id).update(
        claimed_at=later.settled_at + hours, settled_at=later.settled_at + 2 * hours
    )

    assert problems(verify()) == {}
