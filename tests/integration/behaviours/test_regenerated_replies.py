"""A reply that is made anew takes back only the waiting messages that may quote it."""

from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from behaviours.actions import ACTIONS
from behaviours.configuration import Behaviour
from behaviours.execution import run_behaviours
from behaviours.models import OutboxMessage
from relationships.models import Message, Relationship
from relationships.services.hiding import hide_messages
from tests.fixtures.api import Api
from tests.fixtures.behaviours import behave
from tests.fixtures.chat import Chat
from tests.vendor_servers.openai_server import OpenAIServer

HELP: dict[str, Any] = {"message": "Call 116 123.", "when": {"keywords": ["hurt myself"]}}
QUOTE: dict[str, Any] = {"message": "It said: {{ reply | upper }}"}


def waiting(api: Api, relationship: Relationship) -> list[str]:
    items = api.get(f"/relationships/{relationship.id}/outbox").body["items"]
    return sorted(item["content"] for item in items)


def exported(api: Api, relationship: Relationship) -> dict[str, bool]:
    rows = api.get(f"/relationships/{relationship.id}/export").body["outbox"]
    return {row["behaviour"]: bool(row["content"]) for row in rows}


def test_what_rests_on_the_persons_words_alone_stays_until_these_are_hidden(
    chat: Chat, replying: OpenAIServer, api: Api
) -> None:
    replying.push({"text": "Fine."})
    chat.say("Hi.")
    relationship = Relationship.objects.get()
    behave(relationship, help=HELP, quote=QUOTE)
    replying.push({"text": "Oh."}, {"text": "Take care."})
    first = chat.say("I want to hurt myself.").body["rapport"]["turn_id"]
    run_behaviours(relationship_id=relationship.id, worker="test", actions=ACTIONS)
    assert waiting(api, relationship) == ["Call 116 123.", "It said: OH."]

    chat.say("I want to hurt myself.", rapport={"replaces": first})

    assert waiting(api, relationship) == ["Call 116 123."]
    assert exported(api, relationship) == {"help": True, "quote": False}
    assert OutboxMessage.objects.filter(rests_on_reply=False).count() == 1

    said = Message.objects.filter(turn_id=first, role="user")
    with transaction.atomic():
        ids = [one.id for one in said]
        hide_messages(relationship_id=relationship.id, message_ids=ids, now=timezone.now())
    assert waiting(api, relationship) == []
    assert not any(exported(api, relationship).values())


@pytest.mark.parametrize(
    ("behaviour", "rests"),
    [
        ({"message": "Hello"}, False),
        ({"message": "{{ message }}, {{ user }}", "when": {"keywords": ["hi"]}}, False),
        ({"message": "{{ reply[:3] }}"}, True),
        ({"message": "{% for one in entries %}{{ one.content }}{% endfor %}"}, True),
        ({"message": "Noted.", "when": {"not": {"entry": {}}}}, True),
        ({"prompt": {"prompt": "Sum up {{ reply }}", "into": "message"}}, True),
        ({"prompt": {"prompt": "Sum up {{ message }}", "into": "message"}}, False),
    ],
    ids=str,
)
def test_a_behaviour_rests_on_the_reply_if_it_may_quote_it(behaviour: dict[str, Any], rests: bool) -> None:
    assert Behaviour.model_validate(behaviour).rests_on_reply is rests
