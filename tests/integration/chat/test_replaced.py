"""A reply that is made anew is no second exchange, and what was said differently was not said as before."""

from typing import Any
from uuid import UUID

import pytest

from memory.models import ScratchpadEntry
from relationships.models import Message, Relationship
from tests.fixtures.chat import Chat, turns
from tests.fixtures.contexts import remember
from tests.vendor_servers.openai_server import OpenAIServer

EARLIER = ("Hi.", "Hello.", "I work at Bosch.", "Oh no.")
ONE_CHAT = {"metadata": {"session": "chat 1"}}
OPEN_WEBUI = {"X_OpenWebUI_User_Id": "maya", "X_OpenWebUI_Chat_Id": "chat 1"}


def told(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def shown() -> list[str]:
    return list(Message.objects.filter(hidden_at=None).order_by("seq").values_list("content", flat=True))


SENT = ("Hi.", told("Hello."), "I work at Bosch.", told("Oh no."))


@pytest.fixture
def talked(chat: Chat, replying: OpenAIServer) -> Chat:
    """Three exchanges of a client that sends all of them each time."""
    replying.push({"text": "Hello."}, {"text": "Oh no."}, {"text": "Tell me."})
    chat.say("Hi.", **ONE_CHAT)
    chat.say("Hi.", told("Hello."), "I work at Bosch.", **ONE_CHAT)
    chat.say("Hi.", told("Hello."), "I work at Bosch.", told("Oh no."), "It is dull.", **ONE_CHAT)
    return chat


def test_a_reply_is_made_anew_by_a_client_that_sends_the_conversation(
    talked: Chat, replying: OpenAIServer
) -> None:
    replying.push({"text": "Really?"}, {"text": "Since when?"})

    talked.say(*SENT, "It is dull.", **ONE_CHAT)
    assert shown() == [*EARLIER, "It is dull.", "Really?"]
    talked.say(*SENT, "It is dull.", **ONE_CHAT)
    assert shown() == [*EARLIER, "It is dull.", "Since when?"]
    talked.say(*SENT, "It is dull.", told("Since when?"), "2020.", **ONE_CHAT)
    assert shown()[5:7] == ["Since when?", "2020."]


def test_a_message_is_said_differently_and_what_was_remembered_of_it_alone_goes(
    talked: Chat, replying: OpenAIServer
) -> None:
    relationship = Relationship.objects.get()
    for turn, entry in zip(turns()[1:], ("Works at Bosch", "Finds the job dull"), strict=True):
        said = Message.objects.filter(turn_id=turn.id, role="user")
        remember(relationship, entry, source_message_ids=[message.id for message in said])
    replying.push({"text": "Siemens!"})

    talked.say("Hi.", told("Hello."), "I work at Siemens.", user=None, headers=OPEN_WEBUI, stream=True)

    assert shown() == ["Hi.", "Hello.", "I work at Siemens.", "Siemens!"]
    states = {entry.content: entry.state for entry in ScratchpadEntry.objects.all()}
    assert states == {"Works at Bosch": "deleted", "Finds the job dull": "active"}
    system = replying.requests[-1].body["messages"][0]["content"]
    assert "Finds the job dull" in system and "Bosch" not in system


@pytest.mark.parametrize(
    "session",
    [None, "chat 2", "chat 1"],
    ids=["a session that holds many chats", "another chat", "another device, which has not heard the rest"],
)
def test_another_chat_withdraws_nothing(talked: Chat, session: str | None) -> None:
    before = shown()
    fields = {"metadata": {"session": session}} if session else {}

    talked.say("Hi.", told("Hello."), "Another thing.", **fields)

    assert shown()[: len(before)] == before and shown()[-2] == "Another thing."


def test_a_call_names_what_it_replaces(chat: Chat, replying: OpenAIServer) -> None:
    replying.push({"text": "Hello."}, {"text": "Good day."}, {"text": "Ahoy."}, {"text": "Moin."})
    first = chat.say("Hi.").body["rapport"]["turn_id"]
    second = chat.say("Hi.", rapport={"replaces": first}).body["rapport"]["turn_id"]
    assert shown() == ["Hi.", "Good day."]
    third = chat.say("Hi.", rapport={"replaces": second}).body["rapport"]["turn_id"]
    assert shown() == ["Hi.", "Ahoy."]

    chat.say("Hello!", rapport={"replaces": third})

    assert shown() == ["Hello!", "Moin."]
    assert [message["content"] for message in replying.requests[-1].body["messages"]] == ["Hello!"]
    elsewhere = chat.say("Hi.", rapport={"replaces": str(UUID(int=7))})
    assert (elsewhere.status, elsewhere.body["error"]["param"]) == (400, "rapport.replaces")


def test_a_reply_that_failed_is_asked_for_again(talked: Chat, replying: OpenAIServer) -> None:
    replying.push({"status": 500}, {"text": "Really?"}, {"status": 500}, {"text": "Siemens!"})
    again = (*SENT, "It is dull.")
    assert talked.say(*again, **ONE_CHAT).status == 502

    talked.say(*again, **ONE_CHAT)
    assert shown() == [*EARLIER, "It is dull.", "Really?"]
    turn = str(turns()[-1].id)
    other: dict[str, Any] = {**ONE_CHAT, "rapport": {"replaces": turn}}
    assert talked.say("It is fun.", **other).status == 502
    talked.say("It is fun.", **other)
    assert shown() == [*EARLIER, "It is fun.", "Siemens!"]


def test_open_webui_makes_the_first_reply_of_a_chat_anew(chat: Chat, replying: OpenAIServer) -> None:
    replying.push({"text": "Hello."}, {"text": "Good day."})
    for _ in range(2):
        chat.say("Hi.", user=None, headers=OPEN_WEBUI, stream=True)

    assert shown() == ["Hi.", "Good day."]


def test_what_is_said_again_with_more_stays_and_so_does_what_the_companion_said_by_itself(
    talked: Chat, replying: OpenAIServer
) -> None:
    replying.push({"text": "And?"})
    talked.say(*SENT, "It is dull.", "And cold.", **ONE_CHAT)
    assert shown() == [*EARLIER, "It is dull.", "And cold.", "And?"]
    turn = {"session": "chat 1", "messages": [told("How is your knee?")]}
    assert talked.api.post(f"/relationships/{Relationship.objects.get().id}/turns", turn).status == 202

    talked.say(*SENT, "It is dull.", "And cold.", told("And?"), "I left.", **ONE_CHAT)

    assert shown()[-4:-1] == ["And?", "How is your knee?", "I left."]


def test_a_reply_that_the_client_began_is_remembered_with_what_it_is_to(
    chat: Chat, replying: OpenAIServer
) -> None:
    replying.push({"text": "the sea"}, {"text": "is blue"})

    chat.say("A haiku, please.", told("Sure: "))
    chat.say("A haiku, please.", told("Sure: "), told("the sea"))

    assert shown() == ["A haiku, please.", "Sure: ", "the sea", "is blue"]


def test_what_was_said_meanwhile_on_another_device_stays_where_both_say_the_same(
    talked: Chat, replying: OpenAIServer
) -> None:
    replying.push({"text": "Morning."}, {"text": "So early?"}, {"text": "Good day."})
    own = (*SENT, "It is dull.", told("Tell me."))
    talked.say(*own, "Good morning.", **ONE_CHAT)
    talked.say(*own, "Good morning.", told("Morning."), "I have quit.", **ONE_CHAT)

    talked.say(*own, "Good morning.", **ONE_CHAT)  # a device that has heard nothing of that

    assert "I have quit." in shown() and shown()[-1] == "Good day."
