from relationships.models import Message, Relationship
from tests.fixtures.turns import Conversation
from tests.unit.upkeep.verification.damage import check_left, check_mended, run, unguarded


def test_a_counter_that_is_behind_catches_up(lived: Conversation) -> None:
    before = Relationship.objects.get().last_seq
    Relationship.objects.update(last_seq=3)

    check_mended(["numbers/behind"])

    assert Relationship.objects.get().last_seq == before


def test_a_row_that_is_lost_leaves_a_gap(lived: Conversation) -> None:
    lived.say("I forgot to say")
    Relationship.objects.update(last_seq=Relationship.objects.get().last_seq + 2)

    report = check_left(["numbers/gap"])

    assert "2 numbers" in "\n".join(report.lines())


def test_two_rows_of_one_number_are_named(lived: Conversation) -> None:
    first = Message.objects.order_by("seq").values_list("seq", flat=True)[0]
    with unguarded():
        run(
            "UPDATE memory_entryrevision SET seq = %s WHERE seq = (SELECT min(seq) FROM memory_entryrevision)",
            first,
        )

    check_left(["numbers/twice", "numbers/gap"])
