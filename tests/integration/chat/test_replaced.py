"""A reply that is made anew is no second exchange, and what was said differently was not said as before."""

from typing import Any
from uuid import UUID

import pytest

from chat.answering import Answering, here
from chat.identity import Talk
from chat.messages import read_messages
from chat.replacing import withdraw
from chat.requests import ask
from chat.wire import Envelope
from memory.models import ScratchpadEntry
from relationships.models import Message, Relationship
from relationships.services.idempotency import Idempotency
from tests.fixtures.api import TESTER
from tests.fixtures.chat import Chat, turns
from tests.fixtures.contexts import remember
from tests.vendor_servers.openai_server import OpenAIServer

ONE_CHAT = {"metadata": {"session": "chat 1"}}
OPEN_WEBUI = {"X_OpenWebUI_User_Id": "maya", "X_OpenWebUI_Chat_Id": "chat 1"}


def told(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


WHOLE_CHAT: dict[str, Any] = {"user": None, "headers": OPEN_WEBUI, "stream": True}


def shown() -> list[str]:
    return list(Message.objects.filter(hidden_at=None).order_by("seq").values_list("content", flat=True))


@pytest.fixture
def talked(chat: Chat, replying: OpenAIServer) -> Chat:
    """Three exchanges of a client that sends all of them each time."""
    replying.push({"text": "Hello."}, {"text": "Oh no."}, {"text": "Tell me."})
    chat.say("Hi.", **ONE_CHAT)
    chat.say("Hi.", told("Hello."), "I work at Bosch.", **ONE_CHAT)
    chat.say("Hi.", told("Hello."), "I work at Bosch.", told("Oh no."), "It is dull.", **ONE_CHAT)
    return chat


def test_a_client_that_sends_the_conversation_can_regenerate_a_reply(
    talked: Chat, replying: OpenAIServer
) -> None:
    replying.push({"text": "Really?"}, {"text": "Since when?"})

    talked.say("Hi.", told("Hello."), "I work at Bosch.", **WHOLE_CHAT)
    assert shown() == ["Hi.", "Hello.", "I work at Bosch.", "Really?"]
    talked.say("Hi.", told("Hello."), "I work at Bosch.", **ONE_CHAT)
    assert shown() == ["Hi.", "Hello.", "I work at Bosch.", "Since when?"]
    talked.say("Hi.", told("Hello."), "I work at Bosch.", told("Since when?"), "2020.", **ONE_CHAT)
    assert shown()[3:5] == ["Since when?", "2020."]


def test_an_edited_message_removes_only_the_entries_that_rest_on_it(
    talked: Chat, replying: OpenAIServer
) -> None:
    relationship = Relationship.objects.get()
    for turn, entry in zip(turns()[1:], ("Works at Bosch", "Finds the job dull"), strict=True):
        said = Message.objects.filter(turn_id=turn.id, role="user")
        remember(relationship, entry, source_message_ids=[message.id for message in said])
    replying.push({"text": "Siemens!"})

    talked.say("Hi.", told("Hello."), "I work at Siemens.", **WHOLE_CHAT)

    assert shown() == ["Hi.", "Hello.", "I work at Siemens.", "Siemens!"]
    states = {entry.content: entry.state for entry in ScratchpadEntry.objects.all()}
    assert states == {"Works at Bosch": "deleted", "Finds the job dull": "active"}
    system = replying.requests[-1].body["messages"][0]["content"]
    assert "Finds the job dull" in system and "Bosch" not in system


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        (("Hi.", told("Hello."), "Another thing."), {}),
        (("Hi.", told("Hello."), "Another thing."), {"metadata": {"session": "chat 2"}}),
        (("Hi.", told("Hello."), "Another thing."), ONE_CHAT),
        (("Hi.", told("Hello."), "I work at Bosch."), ONE_CHAT),
        (("Another thing.",), WHOLE_CHAT),
        (("Hi.",), WHOLE_CHAT),
    ],
    ids=[
        "a session that holds many chats",
        "another chat",
        "another device, which has not heard the rest",
        "another device, where the person says what was said on the first",
        "a filter that leaves the newest message alone",
        "a filter, and what was said at the beginning",
    ],
)
def test_nothing_is_withdrawn_that_the_person_may_not_have_taken_back(
    talked: Chat, said: tuple[Any, ...], fields: dict[str, Any]
) -> None:
    before = shown()

    talked.say(*said, **fields)

    assert shown()[: len(before)] == before and shown()[-2] == said[-1]


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
    again = ("Hi.", told("Hello."), "I work at Bosch.")
    assert talked.say(*again, **WHOLE_CHAT).status == 502

    talked.say(*again, **WHOLE_CHAT)
    assert shown() == ["Hi.", "Hello.", "I work at Bosch.", "Really?"]
    turn = str(turns()[-1].id)
    other: dict[str, Any] = {**ONE_CHAT, "rapport": {"replaces": turn}}
    assert talked.say("I work at Siemens.", **other).status == 502
    talked.say("I work at Siemens.", **other)
    assert shown() == ["Hi.", "Hello.", "I work at Siemens.", "Siemens!"]


def test_regenerating_a_chats_first_reply_keeps_the_companions_opening(
    chat: Chat, replying: OpenAIServer
) -> None:
    replying.push({"text": "Hello."}, {"text": "Good day."})
    maya = chat.api.post("/relationships", {"companion": "ada", "user": "maya"}).body["id"]
    turn = {"session": "chat 1", "messages": [told("How is your knee?")]}
    assert chat.api.post(f"/relationships/{maya}/turns", turn).status == 202

    for _ in range(2):
        chat.say("Hi.", **WHOLE_CHAT)

    assert shown() == ["How is your knee?", "Hi.", "Good day."]


def test_a_repeated_message_with_more_stays_and_so_do_unprompted_messages(
    talked: Chat, replying: OpenAIServer
) -> None:
    hi = ("Hi.", told("Hello."))
    replying.push({"text": "And?"})
    talked.say(*hi, "I work at Bosch.", "As an engineer.", **WHOLE_CHAT)
    assert shown() == ["Hi.", "Hello.", "I work at Bosch.", "As an engineer.", "And?"]
    turn = {"session": "chat 1", "messages": [told("How is your knee?")]}
    assert talked.api.post(f"/relationships/{Relationship.objects.get().id}/turns", turn).status == 202

    talked.say(*hi, "I work at Bosch.", "As an engineer.", told("And?"), "It is dull.", **ONE_CHAT)

    assert shown()[-4:-1] == ["And?", "How is your knee?", "It is dull."]


def test_a_reply_that_the_client_began_is_stored_with_the_message_it_answers(
    chat: Chat, replying: OpenAIServer
) -> None:
    replying.push({"text": "the sea"}, {"text": "is blue"})

    chat.say("A haiku, please.", told("Sure: "))
    chat.say("A haiku, please.", told("Sure: "), told("the sea"))

    assert shown() == ["A haiku, please.", "Sure: ", "the sea", "is blue"]


def test_an_equal_call_that_comes_as_the_first_is_answered_does_not_withdraw_that_answer(
    talked: Chat, replying: OpenAIServer
) -> None:
    spoken = [{"role": "user", "content": text} for text in ("It is dull.", "Bye.")]
    said = read_messages([spoken[0], told("Tell me."), spoken[1]])
    talk = Talk(Relationship.objects.get(), "chat 1", remembered=True, one_chat=True)
    once = Idempotency("once", b"h" * 32)
    replying.push({"text": "See you."})
    Answering(ask(talk, said, by=TESTER, idempotency=once), Envelope("ada"), in_database=here).whole()

    assert withdraw(talk, said, replaces=None, by=TESTER, idempotency=once) == said
    assert shown()[-2:] == ["Bye.", "See you."]
