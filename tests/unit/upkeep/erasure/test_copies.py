"""What turns keep of their operations, once an entry is erased."""

from datetime import UTC, datetime

from pytest_django import DjangoAssertNumQueries

from memory.models import ModelCall
from providers.errors import RequestRefused
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, delete, operations_of, update
from tests.unit.upkeep.erasure.forgetting import HERON, NOTHING, erase, texts_with


def test_the_trace_keeps_numbers_and_verdicts(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add(HERON), add("Has a sister", messages=[2])))
    turn = conversation.hear("I have a heron on my arm.", "I have a sister.")
    entry = next(entry for entry in conversation.entries if entry.content == HERON)

    erase(conversation, entry)

    about_heron, about_sister = operations_of(turn)
    assert about_heron == {
        "operation": {"op": "add", "messages": [1], "erased": True},
        "verdict": "applied",
        "reason": "",
        "entry_id": str(entry.id),
        "call_id": about_sister["call_id"],
    }
    assert about_sister["operation"]["content"] == "Has a sister"
    call = ModelCall.objects.for_relationship(conversation.relationship.id).get()
    assert (call.system, call.prompt, call.answer, call.error) == ("", "", "", "")
    assert call.redacted_at is not None and call.prompt_tokens is not None


def test_an_entry_that_was_merged_into_it_keeps_no_copy(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Wears a bird")), answer(add(HERON)), answer(update(1, HERON)))
    conversation.hear("I wear a bird.")
    conversation.hear("I have a tattoo: a heron.")
    conversation.hear("The bird is that heron.")
    heron = conversation.entries[0]
    assert [revision.event for revision in conversation.revisions] == ["add", "add", "update", "merge"]

    erase(conversation, heron)

    assert texts_with("heron") == []
    assert texts_with("Wears a bird") != []


def test_an_operation_that_was_refused_but_says_it_is_emptied(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """It names no entry: what was forgotten meanwhile is not learnt again from an older turn."""
    early, late = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 5, tzinfo=UTC)
    scripted_provider.answer_with(answer(add(HERON)), answer(delete(1)), answer(add(HERON)))
    conversation.hear("I have a heron on my arm.", at=early)
    entry = conversation.entries[0]
    conversation.hear("Forget the heron.", at=late)
    again = conversation.hear("I have a heron, by the way.", at=early)
    assert [verdict for verdict, _ in conversation.verdicts(again)] == ["refused"]

    erase(conversation, entry)

    assert texts_with("heron") == []


def test_a_long_conversation_costs_no_more_queries(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    scripted_provider.otherwise = NOTHING
    scripted_provider.answer_with(answer(add(HERON)))
    conversation.hear("I have a heron on my arm.")
    for number in range(12):
        conversation.hear(f"Small talk {number}.")

    with django_assert_max_num_queries(64):
        erase(conversation, conversation.entries[0])


def test_what_a_provider_said_about_a_call_that_showed_it_goes(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """Its few words may quote what was asked; the code of the error stays."""
    scripted_provider.answer_with(answer(add(HERON)), RequestRefused("We saw: tattoo of a he..."))
    conversation.hear("I have a heron on my arm.")
    failed = conversation.hear("And you?")
    assert "tattoo" in failed.error

    erase(conversation, conversation.entries[0])

    failed = conversation.again(failed)
    assert (failed.state, failed.error_code, failed.error) == ("failed", "request_refused", "")
    assert texts_with("tattoo") == []
