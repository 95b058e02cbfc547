"""A person or another worker is faster than the model: the person's text stands."""

from memory.entries.editing import delete_entry
from memory.models import ModelCall
from providers.llm.base import CompletionRequest
from relationships.models import TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import PERSON, Conversation, add, answer, revise, update

NOTHING: dict[str, list[object]] = {"operations": []}


def test_a_persons_edit_while_the_model_answers_stands_and_the_turn_is_asked_again(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    entry = conversation.remember("Drinks coffee")[0]
    edits = iter(["Drinks decaf, says Ana"])

    def edit(request: CompletionRequest) -> None:
        for text in edits:
            revise(entry, content=text)

    scripted_provider.while_answering = edit
    scripted_provider.answer_with(answer(update(1, "Drinks tea")), NOTHING)

    turn = conversation.hear("I drink tea now.")

    assert turn.state == TurnState.APPLIED
    assert conversation.contents == ["Drinks decaf, says Ana"]
    assert "Drinks decaf, says Ana" in scripted_provider.requests[1].prompt
    assert [call.purpose for call in ModelCall.objects.order_by("id")] == ["ingestion", "ask_again"]


def test_when_a_person_keeps_editing_only_the_stale_operation_is_refused_in_the_end(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    entry = conversation.remember("Drinks coffee")[0]

    def edit(request: CompletionRequest) -> None:
        text = f"Drinks it{' again' * len(scripted_provider.requests)}"
        revise(entry, content=text)

    scripted_provider.while_answering = edit
    scripted_provider.otherwise = answer(update(1, "Drinks tea"), add("Owns a kettle"))

    turn = conversation.hear("I drink tea now, I bought a kettle.")

    assert len(scripted_provider.requests) == 3
    assert sorted(conversation.contents) == ["Drinks it again again again", "Owns a kettle"]
    assert [verdict for verdict, _ in conversation.verdicts(turn)] == ["refused", "applied"]


def test_an_entry_a_person_deleted_meanwhile_stays_deleted(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    entry = conversation.remember("Drinks coffee")[0]

    def remove(request: CompletionRequest) -> None:
        delete_entry(relationship_id=entry.relationship_id, entry_id=entry.id, by=PERSON)

    scripted_provider.while_answering = remove
    scripted_provider.answer_with(answer(update(1, "Drinks tea")), NOTHING)

    conversation.hear("I drink tea now.")

    assert conversation.contents == []
