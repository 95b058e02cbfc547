"""Messages and replies that are longer than one message may be."""

from pytest_django.fixtures import Settings

from tests.fixtures.chat import Chat, stored, text_in
from tests.vendor_servers.openai_server import OpenAIServer


def test_a_long_message_is_sent_whole_and_kept_in_pieces(chat: Chat, replying: OpenAIServer) -> None:
    diary = "".join(f"It rained on day {day}. " for day in range(4000))

    chat.say(diary)

    assert replying.requests[0].body["messages"][-1]["content"] == diary
    said = [text for role, text in stored() if role == "user"]
    assert len(said) > 1 and "".join(said) == diary


def test_what_is_said_is_kept_in_as_few_pieces_as_can_be(
    chat: Chat, replying: OpenAIServer, settings: Settings
) -> None:
    """A megabyte of plain text is less than a turn may have, which pieces of a quarter of the length would exceed."""
    settings.MAX_MESSAGE_BYTES, settings.MAX_MESSAGES_PER_TURN = 100, 4
    replying.push({"text": "Yes.", "always": True})
    for said in ("a" * 250, "ä" * 140, "😀" * 70, "日本" * 40 + "x"):
        assert chat.say(said).status == 200

        pieces = [text for role, text in stored() if role == "user"][-3:]
        assert "".join(pieces) == said and all(len(piece.encode()) > 96 for piece in pieces[:2])

    answer = chat.say("a" * 301)
    assert answer.status == 400 and "100 bytes" in answer.body["error"]["message"]


def test_a_reply_too_long_for_what_is_left_of_the_turn_is_kept_as_far_as_it_came(
    chat: Chat, replying: OpenAIServer, settings: Settings
) -> None:
    settings.MAX_MESSAGE_BYTES, settings.MAX_MESSAGES_PER_TURN = 400, 10
    replying.push({"pieces": ["and so on, "] * 50})

    events = chat.stream(*[f"Message {number}" for number in range(9)])

    assert "does not finish" in events[-1]["error"]["message"]
    assert stored()[9:] == [("assistant", text_in(events))] and len(text_in(events)) > 300
