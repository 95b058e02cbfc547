"""What can be seen of turns, by whom, and what brings one back."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from django_q.models import OrmQ

from memory.ingestion.claim import claim_turns
from providers.errors import ContentBlocked
from relationships.models import Relationship, Turn, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.turns import Conversation, add, answer

NOTHING: dict[str, list[object]] = {"operations": []}
EXPLICIT = {"trigger": {"mode": "explicit"}}
# How a turn comes into a state, by its configuration or as if by an earlier try.
LEFT_OUT: dict[str, dict[str, Any]] = {"skipped": {"enabled": False}, "waiting for its trigger": EXPLICIT}
AS_IF: dict[str, dict[str, Any]] = {
    "failed": {"state": TurnState.FAILED, "error_code": "unparsable_answer", "error": "?", "due_at": None},
    "waiting for its retry": {
        "due_at": timezone.now() + timedelta(hours=1),
        "error_code": "rate_limited",
        "attempts": 3,
    },
}


@pytest.fixture
def path(relationship: Relationship) -> str:
    return f"/relationships/{relationship.id}/turns"


def token_for(api: Api, relationship: Relationship, *scopes: str) -> Api:
    made = api.post(f"/relationships/{relationship.id}/tokens", {"scopes": list(scopes)})
    return Api(made.body["token"])


def ids(page: dict[str, Any]) -> list[str]:
    return [turn["id"] for turn in page["items"]]


def test_a_trace_shows_the_messages_the_operations_and_each_call_as_it_was_made(
    api: Api, path: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        "I'd rather not.", answer(add("Lives in Lisbon"), add("Never said", messages=[]))
    )
    turn = conversation.hear("I moved to Lisbon.")

    trace = api.get(f"{path}/{turn.id}").body

    [message] = trace["messages"]
    assert (message["role"], message["content"], message["erased_at"]) == ("user", "I moved to Lisbon.", None)
    assert [(judged["verdict"], judged["operation"]["content"]) for judged in trace["operations"]] == [
        ("applied", "Lives in Lisbon"),
        ("refused", "Never said"),
    ]
    entry = conversation.entries[0]
    assert trace["operations"][0]["entry_id"] == str(entry.id)
    assert [remembered["entry_id"] for remembered in trace["remembered"]] == [str(entry.id)]
    first, repair = trace["calls"]
    assert (first["purpose"], first["answer"], repair["purpose"]) == (
        "ingestion",
        "I'd rather not.",
        "repair",
    )
    assert "I moved to Lisbon." in first["prompt"] and "JSON" in first["system"]
    assert first["shown_message_ids"] == [message["id"]]
    assert (first["model"], first["provider"], first["cost"]) == ("scripted-1", "scripted", None)
    assert trace["claimed_at"] <= trace["settled_at"]


def test_a_trace_leaves_out_what_was_hidden_as_the_list_of_messages_does(
    api: Api, path: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(NOTHING)
    turn = conversation.hear("I moved to Lisbon.", "It is sunny.")
    [secret, _] = api.get(f"{path}/{turn.id}").body["messages"]
    assert secret["hidden_at"] is None
    relationship = path.removesuffix("/turns")
    api.post(f"{relationship}/messages/hide", {"messages": [secret["id"]]})

    left = api.get(f"{path}/{turn.id}").body["messages"]
    every = api.get(f"{path}/{turn.id}?hidden=true").body["messages"]

    assert [message["content"] for message in left] == ["It is sunny."]
    assert [(message["content"], message["hidden_at"] is None) for message in every] == [
        ("I moved to Lisbon.", False),
        ("It is sunny.", True),
    ]


def test_a_trace_of_a_failed_turn_says_what_the_provider_said(
    api: Api, path: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(ContentBlocked("The provider refuses this."))
    turn = conversation.hear("Something.")

    trace = api.get(f"{path}/{turn.id}").body

    assert (trace["state"], trace["error_code"], trace["attempts"]) == ("failed", "content_blocked", 1)
    assert "refuses this" in trace["error"]
    assert [call["error_code"] for call in trace["calls"]] == ["content_blocked"]


def test_a_persons_token_sees_the_trace_without_the_developers_prompts(
    api: Api,
    path: str,
    relationship: Relationship,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
) -> None:
    scripted_provider.answer_with(answer(add("Likes tea")))
    turn = conversation.hear("I like tea.")

    seen = token_for(api, relationship, "read").get(f"{path}/{turn.id}")

    assert (seen.status, seen.body["calls"]) == (200, [])
    assert len(seen.body["operations"]) == 1
    assert "Rules" not in seen.raw.decode()


def test_the_list_can_be_of_one_state_or_one_session(
    api: Api, path: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = NOTHING
    applied = conversation.hear("One.")
    waiting = conversation.say("Two.", session="web", ingestion=EXPLICIT)
    skipped = conversation.say("Three.", session="web", ingestion={"enabled": False})

    def listed(query: str) -> list[str]:
        return ids(api.get(f"{path}?{query}").body)

    assert listed("state=applied") == [str(applied.id)]
    assert listed("state=skipped") == [str(skipped.id)]
    assert listed("state=failed") == []
    assert listed("session=web") == [str(skipped.id), str(waiting.id)]
    assert listed("session=web&state=pending") == [str(waiting.id)]


@pytest.mark.parametrize(
    "query", ["state=lost", "state=", "session=", "session=a%2Fb", "limit=0", "cursor=x"]
)
def test_a_wrong_filter_is_named(api: Api, path: str, query: str) -> None:
    answer = api.get(f"{path}?{query}")

    assert (answer.status, answer.fields) == (422, [query.split("=")[0]])


@pytest.mark.parametrize("state", ["failed", "skipped", "waiting for its trigger", "waiting for its retry"])
def test_retry_brings_a_turn_back_and_calls_a_worker(
    api: Api, path: str, conversation: Conversation, scripted_provider: ScriptedProvider, state: str
) -> None:
    scripted_provider.otherwise = answer(add("Likes tea"))
    turn = conversation.say("I like tea.", ingestion=LEFT_OUT.get(state, {}))
    if state in AS_IF:
        Turn.objects.for_relationship(turn.relationship_id).update(**AS_IF[state])
    OrmQ.objects.all().delete()

    retried = api.post(f"{path}/{turn.id}/retry")

    assert (retried.status, retried.body["state"], retried.body["error_code"]) == (202, "pending", "")
    assert (retried.body["attempts"], retried.body["waits_for"]) == (0, "")
    assert OrmQ.objects.count() == 1
    conversation.drain()
    assert api.get(f"{path}/{turn.id}").body["state"] == "applied"
    assert conversation.contents == ["Likes tea"]


def test_what_is_applied_or_being_read_can_not_be_retried(
    api: Api,
    path: str,
    relationship: Relationship,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
) -> None:
    scripted_provider.otherwise = NOTHING
    applied = conversation.hear("One.")
    read = conversation.say("Two.")
    claim_turns(relationship_id=relationship.id, worker="test")

    for turn, state in ((applied, "applied"), (read, "processing")):
        refused = api.post(f"{path}/{turn.id}/retry")
        assert (refused.status, refused.body["type"]) == (409, "urn:rapport:problem:turn_not_retryable")
        assert state in refused.body["detail"]
    assert api.post(f"{path}/{uuid4()}/retry").status == 404


def test_turns_that_wait_to_be_asked_for_are_read_when_they_are(
    api: Api, relationship: Relationship, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = NOTHING
    ingest = f"/relationships/{relationship.id}/ingest"
    turns = [conversation.say(text, ingestion=EXPLICIT) for text in ("One.", "Two.")]
    assert not OrmQ.objects.exists()

    asked = api.post(ingest)

    assert (asked.status, asked.body) == (202, {"due": 2})
    assert OrmQ.objects.count() == 1
    conversation.drain()
    assert [conversation.again(turn).state for turn in turns] == ["applied"] * 2
    assert api.post(ingest).body == {"due": 0}
