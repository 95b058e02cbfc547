"""A conversation of many summaries."""

from collections.abc import Callable

from relationships.models import Message
from summaries.prompt import LONGEST_MESSAGE
from tests.fakes import ScriptedProvider
from tests.fixtures.summaries import name_birds, ready, summaries_of, summarise
from tests.fixtures.turns import PERSON, Conversation
from tests.wire import statements_sent
from upkeep.erasure.messages import redact_messages


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
    assert summarise(conversation) == 1
    assert few == asked(lambda: erase(0))
    assert [(row.messages, row.version) for row in summaries_of(conversation) if row.state == "pending"] == [
        (42, 3)
    ]


def test_of_many_erased_summaries_only_as_many_as_needed_are_remade(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """Each keeps what it cost: who made only the last would lose all of it with one answer that does not come."""
    scripted_provider.otherwise = name_birds
    words = " It sang." * (LONGEST_MESSAGE // 9)  # so that 11 messages fill a question
    said = [f"Today I saw the bird number{n:04}.{words}" for n in range(40)]
    conversation.say(*said, summaries={"at": [2], "every": 2})
    assert summarise(conversation) == 20
    pair = conversation.relationship
    first = Message.objects.filter(relationship=pair).earliest("seq")

    redact_messages(project_id=pair.project_id, relationship_id=pair.id, message_ids=[first.id], by=PERSON)
    asked = len(scripted_provider.requests)

    assert summarise(conversation) == 4
    assert len(scripted_provider.requests) - asked == 4
    made = ready(conversation)
    assert list(made) == [10, 20, 30, 40]
    assert made[40].text.split() == [f"number{n:04}" for n in range(1, 40)]


def test_more_frequent_summaries_begin_after_the_newest_one(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """Those at earlier points would never be shown or extended, and each costs a call to a model."""
    scripted_provider.otherwise = name_birds
    conversation.say(*(f"Today I saw the bird number{n:04}." for n in range(40)), summaries={"at": [40]})
    assert summarise(conversation) == 1

    for place in range(40, 50):
        conversation.say(f"Today I saw the bird number{place:04}.", summaries={"at": [2], "every": 2})

    assert summarise(conversation) == 5
    assert [row.messages for row in summaries_of(conversation)] == [40, 42, 44, 46, 48, 50]
