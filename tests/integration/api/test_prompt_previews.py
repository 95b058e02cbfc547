"""A dry run of an ingestion prompt: what it would keep, and nothing is written."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection
from pytest_django.fixtures import Settings

from providers.errors import ContentBlocked, RateLimited, Unauthorized
from relationships.ids import uuid7
from relationships.models import ApiKey, Companion, ModelSpending, Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.contexts import remember
from tests.fixtures.turns import Conversation, add, answer, delete
from tests.plugins.strategies import ListedStrategy
from web.models import RateWindow
from worker.waiting import waiting_place

RECIPES = "Keep only {{ user }}'s recipes."
HELLO = [{"role": "user", "content": "Call me Max. I cook."}]


@pytest.fixture
def path(companion: Companion) -> str:
    return f"/companions/{companion.id}/prompts"


@pytest.fixture
def no_writes(api: Api, relationship: Relationship) -> Iterator[None]:
    """Whatever a test does, every table is afterwards as it was; but for the time at which the key was used, what it
    has used of its limits, and the count of what models were asked.
    """

    def rows() -> dict[str, list[Any]]:
        tables = [model for model in apps.get_models() if model not in (ApiKey, RateWindow, ModelSpending)]
        return {model._meta.db_table: sorted(map(repr, model._default_manager.values())) for model in tables}

    before = rows()
    yield
    assert rows() == before


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["body"]),
        ({"messages": HELLO, "turns": [str(uuid4())]}, ["body"]),
        ({"turns": [str(uuid4())]}, ["body"]),
        ({"messages": HELLO, "start_from": "present"}, ["body"]),
        ({"messages": HELLO, "template": RECIPES, "version": 1}, ["body"]),
        ({"messages": []}, ["messages"]),
        ({"messages": HELLO, "version": -1}, ["version"]),
        ({"messages": HELLO, "version": 2**31}, ["version"]),
        ({"messages": HELLO, "start_from": "past"}, ["start_from"]),
        ({"messages": HELLO, "relationship": "maya"}, ["relationship"]),
        ({"messages": HELLO, "relationship": "-" * 36}, ["relationship"]),
        ({"messages": [{"role": "tool", "content": "12 °C"}]}, ["messages"]),
    ],
)
def test_a_preview_that_is_asked_for_wrongly_is_refused(
    api: Api, path: str, body: Any, fields: list[str]
) -> None:
    refused = api.post(f"{path}/preview", body)

    assert (refused.status, refused.fields) == (422, fields)


@pytest.mark.usefixtures("no_writes")
def test_a_preview_of_a_draft_says_what_it_would_keep_and_writes_nothing(
    api: Api, path: str, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(add("Is called Max", type="identity"), add("Never said", messages=[]))
    )

    preview = api.post(f"{path}/preview", {"template": RECIPES, "messages": HELLO})

    assert (preview.status, preview.body["prompt_version"]) == (200, None)
    assert preview.body["entries"] == [{"type": "identity", "subject": "user", "content": "Is called Max"}]
    assert [judged["verdict"] for judged in preview.body["operations"]] == ["applied", "refused"]
    assert "Keep only User's recipes." in preview.body["system"]
    assert "Call me Max. I cook." in preview.body["prompt"]
    assert [judged["operation"]["content"] for judged in preview.body["operations"]] == [
        "Is called Max",
        "Never said",
    ]


def test_an_answer_that_no_text_can_hold_is_shown_as_far_as_one_can(
    api: Api, path: str, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with('{"operations": []} \ud800')

    preview = api.post(f"{path}/preview", {"messages": HELLO})

    assert (preview.status, preview.body["answers"]) == (200, ['{"operations": []} ?'])


def test_a_preview_reads_past_turns_again_from_nothing_or_from_what_is_known(
    api: Api,
    path: str,
    relationship: Relationship,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
) -> None:
    turns = [str(conversation.say(text).id) for text in ("I cook.", "I moved.")]
    remember(relationship, "Known already")
    api.post(path, {"template": RECIPES})
    body = {"relationship": str(relationship.id), "turns": turns[::-1], "version": 1}
    scripted_provider.answer_with(
        answer(add("Cooks", messages=[1])), answer(delete(1, untrue=True), add("Moved", messages=[2]))
    )

    from_nothing = api.post(f"{path}/preview", body).body
    from_present = api.post(f"{path}/preview", {**body, "start_from": "present"}).body

    assert (from_nothing["prompt_version"], from_nothing["entries"][0]["content"]) == (1, "Cooks")
    assert "Known already" not in from_nothing["prompt"]
    assert "Known already" in from_present["prompt"]
    assert [entry["content"] for entry in from_present["entries"]] == ["Moved"]
    assert conversation.contents == ["Known already"]
    assert from_nothing["prompt"].index("I cook.") < from_nothing["prompt"].index("I moved.")


def test_a_preview_of_a_strategy_that_asks_no_model_has_no_question(
    api: Api, path: str, companion: Companion
) -> None:
    strategy = "tests.plugins.strategies.ListedStrategy"
    Companion.objects.filter(id=companion.id).update(config={"ingestion": {"strategy": strategy}})
    ListedStrategy.proposals.append(lambda given: [])

    preview = api.post(f"{path}/preview", {"messages": HELLO})

    assert (preview.status, preview.body["operations"], preview.body["answers"]) == (200, [], [])
    assert (preview.body["system"], preview.body["prompt"]) == ("", "")


def test_a_preview_from_nothing_shows_what_is_remembered_already(
    api: Api,
    path: str,
    relationship: Relationship,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
) -> None:
    turn = str(conversation.say("I cook.").id)
    remember(relationship, "Cooks")
    scripted_provider.answer_with(answer(add("Cooks", messages=[1])))

    preview = api.post(
        f"{path}/preview", {"template": RECIPES, "relationship": str(relationship.id), "turns": [turn]}
    ).body

    assert [entry["content"] for entry in preview["entries"]] == ["Cooks"]
    assert preview["operations"][0]["verdict"] == "applied"


def test_a_preview_reads_only_what_is_there_and_the_companions_own_and_not_too_much(
    api: Api, path: str, relationship: Relationship, conversation: Conversation, settings: Settings
) -> None:
    turn = str(conversation.say("I cook.").id)
    api.post("/companions", {"slug": "bob", "name": "Bob"})
    others = api.post("/relationships", {"companion": "bob", "user": "maya"}).body["id"]

    def ask(**body: Any) -> tuple[int, list[str]]:
        refused = api.post(f"{path}/preview", body)
        return refused.status, refused.fields

    assert ask(relationship=others, turns=[turn]) == (422, ["relationship"])
    assert ask(relationship=str(relationship.id), turns=[turn, str(uuid4())]) == (404, [])
    assert ask(relationship=str(uuid4()), turns=[turn]) == (404, [])
    assert ask(messages=HELLO, version=7) == (404, [])
    settings.MAX_BODY_BYTES = 1000
    long = str(conversation.say("I swim. " * 200).id)
    assert ask(relationship=str(relationship.id), turns=[turn, long]) == (422, ["turns"])


@pytest.mark.parametrize(
    "failures",
    [
        [ContentBlocked("no: \x00 \ud800")],
        [RateLimited("slow down", retry_after=3)],
        [Unauthorized("wrong key")],
        ["no", "still no \ud800"],
    ],
    ids=["blocked", "rate limited", "wrong key", "no JSON"],
)
@pytest.mark.usefixtures("no_writes")
def test_a_model_that_gives_no_usable_answer_is_502(
    api: Api, path: str, scripted_provider: ScriptedProvider, failures: list[Any]
) -> None:
    scripted_provider.answer_with(*failures)

    failed = api.post(f"{path}/preview", {"messages": HELLO})

    assert (failed.status, failed.body["type"]) == (502, "urn:rapport:problem:upstream_failed")
    assert failed.headers["Content-Type"] == "application/problem+json"


def test_beyond_the_places_there_are_a_preview_is_asked_to_come_back(
    api: Api, path: str, scripted_provider: ScriptedProvider, settings: Settings
) -> None:
    settings.MAX_WAITERS = 1
    scripted_provider.answer_with(answer())

    with waiting_place(uuid7()):
        refused = api.post(f"{path}/preview", {"messages": HELLO})

    assert (refused.status, refused.body["type"]) == (503, "urn:rapport:problem:unavailable")
    assert api.post(f"{path}/preview", {"messages": HELLO}).status == 200


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_the_model_answers(
    api: Api, path: str, scripted_provider: ScriptedProvider
) -> None:
    seen: list[bool] = []
    scripted_provider.while_answering = lambda request: seen.append(connection.in_atomic_block)
    scripted_provider.answer_with(answer())

    api.post(f"{path}/preview", {"messages": HELLO})

    assert seen == [False]
