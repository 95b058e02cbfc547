"""A conversation of many summaries."""

from collections.abc import Callable

from relationships.models import Message
from tests.fakes import ScriptedProvider
from tests.fixtures.summaries import name_birds, ready, summaries_of, summarise
from tests.fixtures.turns import PERSON, Conversation
from tests.wire import statements_sent
from upkeep.erasure import redact_messages


def test_many_summaries_are_owed_with_as_many_statements_as_one(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """Of a long conversation that was imported, say, and of one whose first message goes."""
    scripted_provider.otherwise = name_birds
    one, many = {"at": [41], "every": 0}, {"at": [2], "every": 2}
    conversation.say(
        *(f"Today I saw the bird number{n:04}." for n in range(40)), summaries={"enabled": False}
    )

    def asked(do: Callable[[], object]) -> int:
        with statements_sent() as sent:
            do()
        return len(sent)

    def message(number: int) -> Message:
        found: Message = Message.objects.get(content__contains=f"number{number:04}")
        return found

    def erase(number: int) -> None:
        pair = conversation.relationship
        own = {"project_id": pair.project_id, "relationship_id": pair.id}
        redact_messages(**own, message_ids=[message(number).id], by=PERSON)

    first = asked(lambda: conversation.say("Good morning.", summaries=one))
    assert first == asked(lambda: conversation.say("Good evening.", summaries=many))
    assert [row.messages for row in summaries_of(conversation)] == [*range(2, 41, 2), 41, 42]
    assert summarise(conversation) == 22
    assert ready(conversation)[40].last_seq == message(39).seq

    few = asked(lambda: erase(39))
    assert summarise(conversation) == 3
    assert few == asked(lambda: erase(0))
    assert [row.version for row in summaries_of(conversation) if row.state == "pending"] == [2] * 19 + [3] * 3
