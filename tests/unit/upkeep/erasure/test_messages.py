"""Redacting messages: what goes with them, and what a model that is answering meanwhile may do."""

from memory.models import ModelCall, OperationResult
from relationships.models import Message, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, delete, operations_of
from tests.unit.upkeep.erasure.forgetting import ANA, HERON, NOTHING, texts_with
from upkeep.erasure.messages import redact_messages


def redact(conversation: Conversation, word: str) -> dict[str, int]:
    """Every message with this word."""
    relationship = conversation.relationship
    rows = Message.objects.for_relationship(relationship.id).filter(content__contains=word)
    return dict(
        redact_messages(
            project_id=relationship.project_id,
            relationship_id=relationship.id,
            message_ids=list(rows.values_list("id", flat=True)),
            by=ANA,
        )
    )


def test_what_was_proposed_from_a_message_goes_with_it_and_what_was_not_stays(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(
            add("Has a big tattoo", reason="showed the heron"),
            add("Has a sister", messages=[2], reason="said so"),
        )
    )
    turn = conversation.hear("I have a heron on my arm.", "I have a sister.")

    redact(conversation, "heron")

    assert texts_with("heron") == []
    assert set(conversation.contents) == {"Has a big tattoo", "Has a sister"}
    about_heron, about_sister = operations_of(turn)
    assert (about_heron["operation"], about_heron["verdict"]) == (
        {"op": "add", "messages": [1], "erased": True},
        "applied",
    )
    assert about_sister["operation"]["content"] == "Has a sister"
    assert sorted(revision.reason for revision in conversation.revisions) == ["", "said so"]


def test_the_reasons_of_held_deletions_that_rest_on_it_go(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    type(conversation.relationship).objects.filter(id=conversation.relationship.id).update(
        config={"ingestion": {"deletion_hold": {"share": 0, "count": 0}}}
    )
    conversation.remember("Has a tattoo")
    scripted_provider.answer_with(answer(delete(1, reason="no more heron")))
    conversation.hear("Forget the heron.")

    redact(conversation, "heron")

    assert texts_with("heron") == []
    held = OperationResult.objects.exclude(held_id=None).get()
    assert held.held_reason == ""


def test_an_answer_on_its_way_brings_nothing_back(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """The message is redacted while the model answers about it: it is asked again without it."""
    counts: list[dict[str, int]] = []

    def redact_meanwhile(_request: object) -> None:
        if not counts:
            counts.append(redact(conversation, "heron"))

    scripted_provider.while_answering = redact_meanwhile
    scripted_provider.answer_with(answer(add(HERON)), NOTHING)

    turn = conversation.hear("I have a heron on my arm.", "It rains.")

    assert counts[0]["message"] == 1 and turn.state == TurnState.APPLIED
    assert conversation.contents == []
    assert texts_with("heron") == []
    overtaken, again = ModelCall.objects.for_relationship(turn.relationship_id).order_by("id")
    assert overtaken.redacted_at is not None and "It rains." in again.prompt
