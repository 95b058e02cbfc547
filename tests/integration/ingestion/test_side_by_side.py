"""Two strategies read the same turns: the scratchpad's and the archive's, applied together."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest
from pytest_django import DjangoAssertNumQueries

from memory.ingestion.batch_query import read_batch
from memory.models import ModelCall, ScratchpadEntry, Tier
from relationships.models import Companion, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, operations_of, replacing, revise, update

ARCHIVE = {"archive_strategy": "importance"}


def memories(*keep: dict[str, Any], forget: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    return {"memories": list(keep), "forget": list(forget)}


def scored(content: str, score: int = 8, **fields: Any) -> dict[str, Any]:
    return {"content": content, "score": score, "type": "other", "messages": [1], **fields}


def configure(conversation: Conversation, **ingestion: Any) -> None:
    companion = conversation.relationship.companion
    companion.config = {"ingestion": {"provider": "scripted", **ingestion}}
    Companion.objects.filter(id=companion.id).update(config=companion.config)


@pytest.fixture
def both(conversation: Conversation) -> Conversation:
    configure(conversation, **ARCHIVE)
    return conversation


def archived(*contents: str, conversation: Conversation) -> None:
    for entry in conversation.remember(*contents):
        revise(entry, tier="archive")


def test_each_keeps_what_it_adds_in_its_own_tier(
    both: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Likes tea")), memories(scored("Talked about tea for an hour")))

    turn = both.hear("I like tea.")

    assert {entry.content: entry.tier for entry in both.entries} == {
        "Likes tea": Tier.SCRATCHPAD,
        "Talked about tea for an hour": Tier.ARCHIVE,
    }
    calls = {call.id: call.purpose for call in ModelCall.objects.all()}
    assert [calls[call_id] for call_id in turn.model_call_ids] == ["ingestion", "score"]
    assert [calls[judged_by] for judged_by in _calls(operations_of(turn))] == ["ingestion", "score"]
    assert [calls[revision.model_call_id] for revision in both.revisions] == ["ingestion", "score"]


def test_what_both_say_is_kept_once(both: Conversation, scripted_provider: ScriptedProvider) -> None:
    scripted_provider.answer_with(answer(add("Likes tea")), memories(scored("likes tea.")))

    turn = both.hear("I like tea.")

    assert both.contents == ["Likes tea"]
    assert [judged["verdict"] for judged in operations_of(turn)] == ["applied", "none"]


def test_an_entry_that_both_would_change_is_changed_by_the_first(
    both: Conversation, scripted_provider: ScriptedProvider
) -> None:
    both.remember("Likes tea")
    scripted_provider.answer_with(
        answer(update(1, "Likes green tea")), memories(scored("Likes black tea", entry=1))
    )

    turn = both.hear("About tea: I like green tea.")

    assert both.contents == ["Likes green tea"]
    assert [judged["verdict"] for judged in operations_of(turn)] == ["applied", "refused"]
    assert "operations" in operations_of(turn)[1]["reason"]


def test_one_value_of_a_turn_is_not_taken_over_by_the_other_strategy(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    configure(conversation, archive_strategy="keyed_facts")
    recorded = {"type": "identity", "key": "city", "value": "Lisboa", "confidence": 1.0, "messages": [1]}
    scripted_provider.answer_with(answer(add("Lives in Lisbon", key="city")), memories(recorded))

    turn = conversation.hear("I live in Lisbon.")

    assert [(entry.content, entry.tier) for entry in conversation.entries] == [
        ("Lives in Lisbon", Tier.SCRATCHPAD)
    ]
    assert operations_of(turn)[1]["reason"] == "operations keeps the city of this turn already"


def test_a_new_value_stands_in_the_tier_of_the_one_it_supersedes(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Lives in Porto", key="city")))
    conversation.hear("I live in Porto.")
    configure(conversation, strategy="keyed_facts", tier="archive")
    recorded = {"type": "identity", "key": "city", "value": "Lisbon", "confidence": 1.0, "messages": [1]}
    scripted_provider.answer_with(memories(recorded))

    conversation.hear("I moved to Lisbon.")

    assert [(entry.content, entry.tier) for entry in conversation.entries] == [
        ("city: Lisbon", Tier.SCRATCHPAD)
    ]


def test_when_one_gives_no_usable_answer_nothing_of_the_other_is_applied(
    both: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Likes tea")), "garbage", "garbage again")

    turn = both.hear("I like tea.")

    assert (turn.state, turn.error_code) == (TurnState.FAILED, "unparsable_answer")
    assert both.contents == []


def test_both_are_asked_again_when_a_person_was_faster(
    both: Conversation, scripted_provider: ScriptedProvider
) -> None:
    [tea] = both.remember("Likes tea")
    edits = iter([True])

    def edit(request: object) -> None:
        if next(edits, False):
            revise(tea, content="Likes rain")

    scripted_provider.while_answering = edit
    scripted_provider.answer_with(
        answer(update(1, "Likes green tea")), memories(), answer(add("Likes green tea")), memories()
    )

    both.hear("I like green tea.")

    assert sorted(both.contents) == ["Likes green tea", "Likes rain"]
    purposes = list(ModelCall.objects.order_by("recorded_at", "id").values_list("purpose", flat=True))
    assert purposes == ["ingestion", "score", "ask_again", "score ask_again"]


def test_operations_shows_what_a_search_of_the_archive_finds_and_may_change_it(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Likes tea")
    archived("Has a brother in Porto", "Collects stamps", conversation=conversation)
    scripted_provider.answer_with(answer(update(2, "Has a brother in Lisbon")))

    conversation.hear("My brother moved from Porto to Lisbon.")

    asked = scripted_provider.requests[0].prompt
    assert "[2] (other, archived, told " in asked and ") Has a brother in Porto" in asked
    assert "stamps" not in asked
    brother = ScratchpadEntry.objects.get(content="Has a brother in Lisbon")
    assert (brother.tier, brother.version) == (Tier.ARCHIVE, 3)


@pytest.mark.parametrize(
    "before",
    [("I talked to Tanja.", "How is she?"), ("Let me tell you.", "How is Tanja?")],
    ids=["the person names her", "the companion names her"],
)
def test_operations_finds_in_the_archive_whom_the_person_goes_on_speaking_of(
    conversation: Conversation, scripted_provider: ScriptedProvider, before: Sequence[str]
) -> None:
    archived("Tanja works at Siemens", "Collects stamps", conversation=conversation)
    scripted_provider.answer_with(answer())
    conversation.exchange(*before)
    ended = "Tanja worked at Siemens until 2026-03"
    scripted_provider.answer_with(answer(replacing(1, ended)))

    conversation.hear("She finally quit.")

    assert "stamps" not in scripted_provider.requests[-1].prompt
    assert sorted(conversation.contents) == ["Collects stamps", ended]


@pytest.mark.parametrize("known", [Tier.SCRATCHPAD, Tier.ARCHIVE])
@pytest.mark.parametrize(
    ("who", "said"),
    [
        ("Ottilie is the boss in the office at Porto", "My boss gave up music."),
        ("Ottilie is the dentist", "My dentist gave up music."),
    ],
)
def test_operations_finds_in_the_archive_whom_the_person_does_not_call_by_name(
    conversation: Conversation, scripted_provider: ScriptedProvider, who: str, said: str, known: Tier
) -> None:
    conversation.remember(who, subject="Ottilie", tier=known)
    conversation.remember("Ottilie plays the flute", subject="Ottilie", tier=Tier.ARCHIVE)
    conversation.remember("Rosa plays the cello", subject="Rosa", tier=Tier.ARCHIVE)
    scripted_provider.answer_with(answer())

    conversation.hear(said)

    asked = scripted_provider.requests[0].prompt
    assert "Ottilie plays the flute" in asked
    assert "Rosa" not in asked


@pytest.mark.parametrize("order", [(1, 2), (2, 1)], ids=["list first", "archive first"])
def test_what_is_made_one_with_something_archived_stays_on_the_list(
    conversation: Conversation, scripted_provider: ScriptedProvider, order: tuple[int, int]
) -> None:
    conversation.remember("Has a brother")
    archived("Has a brother in Porto", conversation=conversation)
    whole = "Has a brother in Porto, a baker"
    scripted_provider.answer_with(answer(*[update(number, whole) for number in order]))

    conversation.hear("My brother is a baker.")

    assert [(entry.content, entry.tier) for entry in conversation.entries] == [(whole, Tier.SCRATCHPAD)]


def test_an_empty_archive_costs_operations_nothing(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:

    turn = conversation.say("I like tea.")

    with django_assert_num_queries(2):  # the configuration's levels, and all the rest
        ingestion_input = read_batch([turn])

    assert ingestion_input.has_archive is False


def _calls(operations: list[dict[str, Any]]) -> list[Any]:

    return [UUID(judged["call_id"]) for judged in operations]
