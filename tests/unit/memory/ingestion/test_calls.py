from datetime import UTC, datetime

import pytest

from memory.ingestion.batch_query import read_batch
from memory.ingestion.calls import CallLog, store_calls
from memory.ingestion.ingestion_input import IngestionInput
from memory.models import ModelCall
from providers.llm.base import CompletionRequest
from providers.reported import storable
from relationships.models import ModelSpending, Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER
from tests.fixtures.contexts import remember
from tests.fixtures.turns import Conversation
from upkeep.erasure.entries import erase_entry

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
REPAIR = CompletionRequest(
    "system", "prompt", schema={}, history=(("assistant", "not JSON"), ("user", "Answer again."))
)


@pytest.fixture
def ingestion_input(conversation: Conversation, relationship: Relationship) -> IngestionInput:
    remember(relationship, "Has a heron tattoo")
    return read_batch([conversation.say("My tattoo is a heron.")])


@pytest.mark.parametrize(
    ("text", "kept"),
    [("plain é \U0001f98a", "plain é \U0001f98a"), ("a\x00b", "a�b"), ("a\ud800b\udfff", "a?b?"), ("", "")],
)
def test_what_no_table_can_hold_is_marked_and_the_rest_is_kept(text: str, kept: str) -> None:
    assert storable(text) == kept


@pytest.mark.django_db(transaction=True)
def test_each_call_is_kept_once_with_the_whole_question(
    ingestion_input: IngestionInput, scripted_provider: ScriptedProvider
) -> None:
    log = CallLog(scripted_provider)
    scripted_provider.answer_with("answer")
    log.ask(REPAIR, ingestion_input, purpose="repair")

    store_calls(log, now=NOON)
    store_calls(log, now=NOON)

    call = ModelCall.objects.get()
    assert (call.purpose, call.system, call.answer) == ("repair", "system", "answer")
    assert call.prompt == "prompt\n\n--- assistant ---\nnot JSON\n\n--- user ---\nAnswer again."
    assert [call.id] == log.ids
    assert call.shown_entry_ids == [entry.id for entry in ingestion_input.entries]
    assert call.redacted_at is None


def test_what_was_erased_while_the_model_answered_is_kept_in_no_call(
    ingestion_input: IngestionInput, scripted_provider: ScriptedProvider
) -> None:
    log = CallLog(scripted_provider)
    scripted_provider.answer_with("Has a heron tattoo, I hear.")
    log.ask(REPAIR, ingestion_input, purpose="ingestion")
    erase_entry(
        relationship_id=ingestion_input.relationship_id,
        entry_id=ingestion_input.entries[0].id,
        by=TESTER,
        messages="keep",
    )

    store_calls(log, now=NOON)

    call = ModelCall.objects.get()
    assert (call.system, call.prompt, call.answer, call.redacted_at) == ("", "", "", NOON)
    assert call.purpose == "ingestion"


@pytest.mark.django_db(transaction=True)
def test_a_call_in_which_a_provider_broke_is_kept_as_one_without_an_answer(
    ingestion_input: IngestionInput, scripted_provider: ScriptedProvider
) -> None:
    log = CallLog(scripted_provider)
    scripted_provider.answer_with(KeyError("somebody's words"))
    with pytest.raises(KeyError):
        log.ask(REPAIR, ingestion_input, purpose="ingestion")

    store_calls(log, now=NOON)

    call = ModelCall.objects.get()
    assert (call.error_code, call.prompt[:6], call.answer) == ("internal_error", "prompt", "")
    assert call.error.startswith("KeyError at fakes.py:")
    assert ModelSpending.objects.get().answered_at is None
