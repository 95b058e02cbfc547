"""Behaviours over REST: which there are, where a draft would fire, what they did, and the outbox."""

import json
import threading
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.behaviours import behave, work
from tests.fixtures.turns import Conversation


def test_the_behaviours_that_hold_here_are_listed_in_order(
    conversation: Conversation, api: Api, at: str
) -> None:
    behave(
        conversation.relationship,
        b={"text": "Hi", "order": 2, "when": {"not": {"keywords": ["x"]}}},
        a={"message": "Hi", "order": 3},
        broken={"order": 1},
    )
    api.patch(at, {"config": {"behaviours": {"named": {"a": {"enabled": False}}}}})

    items = api.get(f"{at}/behaviours").body["items"]

    assert [(row["name"], row["kind"], row["enabled"], row["level"]) for row in items] == [
        ("broken", "async", True, "companion"),
        ("b", "priority", True, "companion"),
        ("a", "async", False, "relationship"),
    ]
    assert items[0]["fault"] == "needs exactly one of text, ask, prompt, webhook, message"
    assert items[1]["definition"]["when"] == {"not": {"keywords": ["x"]}}


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"when": {"keyword": ["x"]}}, "config.behaviours.named.greet.when.keyword"),
        ({"when": {"any": [{"matches": "("}]}}, "config.behaviours.named.greet.when.any.0.matches"),
        ({"message": "{{ user.upper() }}"}, "config.behaviours.named.greet.message"),
        ({"ask": {"provider": "nobody"}}, "config.behaviours.named.greet.ask.provider"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(config: dict[str, Any], field: str, api: Api, at: str) -> None:
    refused = api.patch(at, {"config": {"behaviours": {"named": {"greet": config}}}})

    assert refused.status == 422
    assert refused.fields == [field]


def test_a_draft_is_tried_over_past_turns(conversation: Conversation, api: Api, at: str) -> None:
    start = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    for hours, said in enumerate(["I am hungry", "No", "Hungry again", "So hungry"]):
        conversation.say(said, at=start + timedelta(hours=hours))
    draft = {
        "text": "Feed {{ user }}: {{ message }}",
        "when": {"keywords": ["hungry"]},
        "cooldown_minutes": 90,
    }

    tried = api.post(f"{at}/behaviours/dry-run", {"behaviour": draft}).body

    assert [(turn["fires"], turn["reason"]) for turn in tried["turns"]] == [
        (True, ""),
        (False, "its condition does not hold"),
        (True, ""),
        (False, "it is cooling down"),
    ]
    assert (tried["fired"], tried["kind"]) == (2, "priority")
    assert tried["turns"][2]["rendered"] == "Feed Maya: Hungry again"
    assert api.get(f"{at}/behaviour-runs").body["items"] == []


def test_a_type_that_is_none_here_is_refused_in_a_dry_run_as_in_a_run_and_no_model_is_asked(
    conversation: Conversation, api: Api, at: str, scripted_provider: ScriptedProvider
) -> None:
    draft = {"prompt": {"prompt": "Any hopes?", "into": "entry", "type": "hope"}}
    behave(conversation.relationship, note=draft)
    conversation.say("I hope for snow")
    work(conversation)

    [turn] = api.post(f"{at}/behaviours/dry-run", {"behaviour": draft}).body["turns"]
    [run] = api.get(f"{at}/behaviour-runs").body["items"]

    why = "hope is not a type of entries here (ingestion.types)."
    assert (turn["fires"], turn["reason"], run["outcome"]) == (False, why, f"Refused: {why}")
    assert scripted_provider.requests == []


def test_a_draft_of_a_schedule_tells_its_next_times(api: Api, at: str) -> None:
    draft = {"message": "Hi", "when": {"schedule": "0 9 * * *"}}

    tried = api.post(f"{at}/behaviours/dry-run", {"behaviour": draft}).body

    assert len(tried["next_times"]) == 5
    assert all(time.endswith("T09:00:00Z") for time in tried["next_times"])


def test_a_draft_of_many_schedules_tells_the_next_times_of_all_each_once(api: Api, at: str) -> None:
    often = [{"schedule": "0 */6 * * *"}, {"schedule": "0 12 * * *"}, {"schedule": "0 0 29 2 *"}]

    tried = api.post(
        f"{at}/behaviours/dry-run", {"behaviour": {"message": "Hi", "when": {"any": often}}}
    ).body

    times = [datetime.fromisoformat(time) for time in tried["next_times"]]
    assert [later - earlier for earlier, later in pairwise(times)] == [timedelta(hours=6)] * 4


@pytest.mark.parametrize(
    ("draft", "field"),
    [({}, "behaviour"), ({"texts": "x"}, "behaviour.texts"), ({"text": "{% set x = 1 %}"}, "behaviour.text")],
    ids=str,
)
def test_a_draft_that_is_none_is_refused(draft: dict[str, Any], field: str, api: Api, at: str) -> None:
    refused = api.post(f"{at}/behaviours/dry-run", {"behaviour": draft})

    assert (refused.status, refused.fields) == (422, [field])


def test_runs_are_listed_read_and_found(conversation: Conversation, api: Api, at: str) -> None:
    behave(conversation.relationship, greet={"message": "Hello"}, other={"message": "Well"})
    turn = conversation.say("Hi")
    assert api.get(f"{at}/behaviour-runs").body["items"] == []
    work(conversation)

    [run] = api.get(f"{at}/behaviour-runs?behaviour=greet&turn={turn.id}&state=done").body["items"]

    assert api.get(f"{at}/behaviour-runs/{run['id']}").body == run
    refused = api.post(f"{at}/behaviour-runs/{run['id']}/retry")
    assert refused.status == 409


def test_a_message_waits_until_it_is_acknowledged(conversation: Conversation, api: Api, at: str) -> None:
    behave(conversation.relationship, greet={"message": "Hello {{ turn }}"})
    conversation.say("Hi")
    conversation.say("Hi")
    work(conversation)
    first, second = api.get(f"{at}/outbox").body["items"]
    assert (first["content"], second["content"]) == ("Hello 1", "Hello 2")

    once, again = [api.post(f"{at}/outbox/{first['id']}/ack").body for _ in range(2)]

    assert once == again and once["acknowledged_at"]
    assert [row["id"] for row in api.get(f"{at}/outbox").body["items"]] == [second["id"]]
    assert len(api.get(f"{at}/outbox?acknowledged=true").body["items"]) == 2


def test_a_browser_reads_its_own_outbox_and_no_secret(conversation: Conversation, api: Api, at: str) -> None:
    token = api.post(f"{at}/tokens", {"scopes": ["read", "write"]}).body["token"]
    browser = Api(token)

    assert browser.get(f"{at}/outbox").status == 200
    assert browser.get(f"{at}/behaviour-runs").status == 403
    assert browser.get(f"/companions/{conversation.relationship.companion_id}/webhook-secret").status == 403


def events_of(raw: bytes) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in raw.decode().splitlines() if line.startswith("data: ")]


def test_a_stream_begins_with_what_waits_and_goes_on_after_what_is_known(
    conversation: Conversation, api: Api, at: str
) -> None:
    behave(conversation.relationship, greet={"message": "Hello {{ turn }}"})
    conversation.say("Hi")
    conversation.say("Hi")
    work(conversation)

    def stream(**headers: str) -> list[dict[str, Any]]:
        sent = {"Authorization": f"Bearer {api.key}", **headers}
        answer = Client().get(f"/v1{at}/outbox/stream?seconds=0", headers=sent)
        assert answer["Content-Type"] == "text/event-stream"
        return events_of(b"".join(answer.streaming_content))  # type: ignore[attr-defined]

    first, second = stream()
    assert [first["content"], second["content"]] == ["Hello 1", "Hello 2"]
    assert stream(**{"Last-Event-ID": first["id"]}) == [second]


@pytest.mark.django_db(transaction=True)
def test_a_stream_gets_a_message_as_soon_as_it_is_queued(
    conversation: Conversation, api: Api, at: str
) -> None:
    behave(conversation.relationship, greet={"message": "Hello"})
    answer = Client().get(f"/v1{at}/outbox/stream?seconds=30", headers={"Authorization": f"Bearer {api.key}"})
    pieces = iter(answer.streaming_content)  # type: ignore[attr-defined]
    assert next(pieces).startswith(b"retry:")
    conversation.say("Hi")

    def later() -> None:
        work(conversation)
        connection.close()

    worker = threading.Thread(target=later)
    worker.start()
    told = next(piece for piece in pieces if piece.startswith(b"id:"))
    worker.join()
    answer.close()

    assert events_of(told)[0]["content"] == "Hello"
