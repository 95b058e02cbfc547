"""A wish that a model was to judge, and whose answer is of no use: rules judge it, and what the answer took counts. And what
is no wish."""

from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from memory.models import ModelCall, ScratchpadEntry
from providers.errors import AnswerTruncated, ContentBlocked, RequestRefused
from providers.llm.base import Completion, CompletionRequest
from relationships.models import Message
from relationships.services.model_budgets import model_budget_of
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.turns import Conversation
from tests.integration.mending.test_forget import NOTHING, numbers_that_say

CUT = Completion(
    text='{"says": [',
    provider="scripted",
    model="scripted-1",
    prompt_tokens=700,
    output_tokens=300,
    cached_tokens=0,
    cost=None,
)


def refuse(error: Exception) -> Callable[[CompletionRequest], NoReturn]:
    def answer(request: CompletionRequest) -> NoReturn:
        raise error

    return answer


unjudged = pytest.mark.parametrize(
    "judged",
    [
        {"no": "lists"},
        refuse(ContentBlocked()),
        refuse(RequestRefused()),
        refuse(AnswerTruncated("It was cut off.", completion=CUT)),
    ],
    ids=["unreadable", "blocked", "refused", "cut off"],
)


@unjudged
def test_where_the_model_does_not_judge_a_wish_rules_do(
    told: Conversation, scripted_provider: ScriptedProvider, api: Api, at: str, judged: Any
) -> None:
    scripted_provider.wishes_answer = judged

    plan = api.post(f"{at}/forget", {"what": "that I live in Klosterneuburg"})

    assert (plan.status, plan.body["judged_by"]) == (200, "")
    assert [item["sentence"] for item in plan.body["items"] if item["ticked"] and item["kind"] == "entry"]
    assert ModelCall.objects.filter(purpose="forget").exclude(error_code="").count() == 1


@unjudged
def test_where_the_model_does_not_judge_a_spoken_wish_rules_do(
    told: Conversation, scripted_provider: ScriptedProvider, judged: Any
) -> None:
    scripted_provider.answer_with(NOTHING)
    scripted_provider.wishes_answer = judged
    turn = told.exchange("Please forget that I live in Klosterneuburg.", "Done.")

    assert (turn.state, told.contents) == ("applied", ["Has a sister"])
    assert ModelCall.objects.filter(purpose="forget").exclude(error_code="").count() == 1


def test_a_model_may_see_that_what_rules_heard_asks_for_nothing(
    told: Conversation, scripted_provider: ScriptedProvider
) -> None:
    line = "MARA: Forget Klosterneuburg. There is no home there."
    scripted_provider.wishes_answer = lambda request: (
        {"says": [], "unsure": []}
        if "as in a story" in request.prompt and f"\nMESSAGE: {line}" in request.prompt
        else numbers_that_say("Klosterneuburg")(request)
    )
    scripted_provider.answer_with(NOTHING)
    told.exchange(line, "ODUYA: Then where?")

    assert set(told.contents) == {"Lives in Klosterneuburg", "Has a sister"}
    assert not Message.objects.exclude(hidden_at=None).exists()

    reported = {"kind": "forget", "what": "that I live in Klosterneuburg", "messages": [1]}
    scripted_provider.answer_with(NOTHING | {"wishes": [reported]})
    told.exchange("Forget Klosterneuburg, please.", "Done.")

    assert told.contents == ["Has a sister"]  # the reading understood it, so nothing is said of rules


@pytest.mark.parametrize(("says", "left"), [([], 6), ([1], 4)], ids=["a story", "a wish"])
def test_so_it_may_of_what_was_said_last(
    told: Conversation, scripted_provider: ScriptedProvider, says: list[int], left: int
) -> None:
    scripted_provider.answer_with(NOTHING)
    told.exchange("I had a sister once, in the story.")
    scripted_provider.answer_with(NOTHING)
    scripted_provider.wishes_answer = {"says": [{"number": number} for number in says], "unsure": []}
    told.exchange("Forget that. She had a ship to catch.")

    [question] = scripted_provider.wishes
    assert "\nMESSAGE: Forget that. She" in question.prompt
    assert Message.objects.filter(hidden_at=None).count() == left


def test_an_answer_that_was_cut_off_is_kept_and_counted(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Has a tame walrus")
    scripted_provider.wishes_answer = refuse(AnswerTruncated("It was cut off.", completion=CUT))

    api.post(f"{at}/forget", {"what": "the walrus"})

    call = ModelCall.objects.get(purpose="forget")
    assert (call.error_code, call.answer, call.output_tokens) == ("answer_truncated", CUT.text, 300)
    assert model_budget_of(conversation.relationship.project_id).tokens == 1000


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("never want to hear of conor again. forget everything about him", ["Mia is the sister"]),
        ("Conor moved out. forget everything about him", ["Mia is the sister"]),
        ("forget everything about him", None),
        ("told mia about conor. forget everything about him", None),
    ],
    ids=["in small letters", "with a capital", "unnamed", "one of two"],
)
def test_whom_a_wish_means_is_known_by_the_entries_about_them_however_it_is_typed(
    conversation: Conversation, said: str, kept: list[str] | None
) -> None:
    told = {"Conor": "Conor plays the bagpipes", "Mia": "Mia is the sister"}
    entries = conversation.remember(*told.values())
    for entry, subject in zip(entries, told, strict=True):
        ScratchpadEntry.objects.filter(id=entry.id).update(subject=subject)
    conversation.read_by_rules()

    conversation.exchange(said, "Fine.")

    assert sorted(conversation.contents) == (kept or sorted(told.values()))


@pytest.mark.parametrize(
    "asks", ["My phone PIN is 4471 in case you need it. Don't save that.", "pin is 4471, pls dont keep it"]
)
def test_a_message_that_says_alone_what_should_not_be_kept_goes_if_the_model_hears_that_it_asks(
    told: Conversation, scripted_provider: ScriptedProvider, asks: str
) -> None:
    scripted_provider.answer_with(NOTHING)
    scripted_provider.wishes_answer = {"says": [], "unsure": [], "asks": True}
    told.exchange(asks, "All right.")

    [question] = scripted_provider.wishes
    assert '"asks"' in question.prompt
    [gone] = Message.objects.exclude(hidden_at=None)
    assert (gone.content, len(told.contents)) == (asks, 2)
