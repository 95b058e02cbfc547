"""What small models would have a person remembered by, though nobody said it: examples, the companion's words, keys."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memory.ingestion.ingestion_input import EARLIER
from memory.ingestion.intake import accept_turn
from memory.models import IngestionPrompt
from relationships.models import Companion, EndUser
from relationships.services.turns import NewMessage, NewTurn
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, update

MARCH = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def reply(conversation: Conversation, said: str, replied: str) -> list[tuple[str, str]]:
    """The verdicts on a turn of both."""
    messages = [NewMessage("user", said), NewMessage("assistant", replied)]
    turn = accept_turn(relationship=conversation.relationship, new=NewTurn(messages, occurred_at=MARCH)).turn
    conversation.drain()
    return conversation.verdicts(turn)


@pytest.mark.parametrize(
    "operation",
    [
        add("Works as a nurse at St. Mary's"),
        add("Is allergic to nuts", type="identity"),
        add("Ana ran the Porto half marathon in 1:52", subject="Ana"),
        update(1, "Ana is the older sister; she lives in Porto"),
        {"op": "replace", "entry": 1, "content": "Works as a nurse at St. Mary's", "messages": [1]},
    ],
)
def test_an_example_of_the_prompt_is_not_remembered(
    conversation: Conversation, scripted_provider: ScriptedProvider, operation: dict[str, Any]
) -> None:
    conversation.remember("Works as a vet")
    scripted_provider.answer_with(answer(operation))

    turn = conversation.hear("It was slow at work today, I was tired.")

    assert conversation.contents == ["Works as a vet"]
    assert "an example of the prompt" in conversation.verdicts(turn)[0][1]


def test_an_example_that_was_really_said_is_remembered(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(add("Is allergic to nuts")), answer(add("Works as a nurse at St. Mary's", messages=[1002, 1]))
    )

    reply(conversation, "I'm allergic to nuts.", "Are you the nurse from St. Mary's?")
    conversation.hear("Yes!")

    assert sorted(conversation.contents) == ["Is allergic to nuts", "Works as a nurse at St. Mary's"]


def test_a_wish_that_only_the_prompt_speaks_of_is_not_heard(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Ana is the sister; she lives in Porto")
    wish = {"kind": "forget", "what": "that Ana lives in Porto", "messages": [1]}
    scripted_provider.answer_with({**answer(add("Likes rain")), "wishes": [wish]})
    scripted_provider.otherwise = {"says": [{"number": 1}], "unsure": []}

    conversation.hear("I like rain.")

    assert sorted(conversation.contents) == ["Ana is the sister; she lives in Porto", "Likes rain"]
    assert len(scripted_provider.requests) == 1 and not scripted_provider.wishes


@pytest.mark.parametrize(
    ("operation", "kept"),
    [
        (add("Ran a marathon", messages=[2], key="city"), ("Ada", "Ada: Ran a marathon")),
        (add("Ada ran a marathon", messages=[2]), ("user", "Ada ran a marathon")),
        (add("Ran a marathon", messages=[1, 2]), ("user", "Ran a marathon")),
        (add("Was advised to rest", messages=[2], type="agreement"), ("user", "Was advised to rest")),
    ],
    ids=["unnamed", "named", "confirmed", "advice"],
)
def test_what_only_the_companion_said_is_kept_as_its_words(
    conversation: Conversation, scripted_provider: ScriptedProvider, operation: dict[str, Any], kept: Any
) -> None:
    scripted_provider.answer_with(answer(operation))

    reply(conversation, "Tell me of yourself.", "I ran a marathon. You should rest.")

    assert [(entry.subject, entry.content) for entry in conversation.entries] == [kept]


@pytest.mark.parametrize(
    ("said", "operation", "kept"),
    [
        ("Hm.", add("Mum is allergic to nuts", subject="mum", messages=[2]), "Ada: Mum is allergic to nuts"),
        ("I miss mum.", add("Mum is allergic", subject="mum", messages=[2]), "Ada: Mum is allergic"),
        ("Hm.", add("Ada knows that Mum is ill", subject="mum", messages=[2]), "Ada knows that Mum is ill"),
        ("Hm.", add("Likes chess", subject="Ada", messages=[2]), "Likes chess"),
        ("Mum has an allergy: nuts.", add("Mum is allergic to nuts", subject="mum", messages=[2]), None),
        ("Yes, she is.", add("Mum is allergic to nuts", subject="mum", messages=[1, 2]), None),
    ],
    ids=["alone", "of one who is known", "named", "of itself", "an echo", "confirmed"],
)
def test_what_only_the_companion_said_of_another_is_kept_as_its_words(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    said: str,
    operation: dict[str, Any],
    kept: str | None,
) -> None:
    scripted_provider.answer_with(answer(operation))

    reply(conversation, said, "As you told me, your mum is allergic to nuts.")

    [entry] = conversation.entries
    assert (entry.subject, entry.content) == (operation["subject"], kept or operation["content"])


def test_what_the_companion_takes_up_of_an_earlier_message_is_the_persons(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    operation = add("Goes to Paris in May", messages=[2, EARLIER + 1])
    scripted_provider.answer_with(answer(), answer(operation))

    conversation.hear("Paris, in May, I think.")
    reply(conversation, "Hm.", "So Paris in May it is.")

    assert conversation.contents == ["Goes to Paris in May"]


def test_a_companions_own_prompt_may_have_its_observations_kept(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    companion = Companion.objects.get(id=conversation.relationship.companion_id)
    owned = {"companion": companion, "version": 1}
    IngestionPrompt.objects.create(**owned, template="Keep what {{ companion }} observes.")
    Companion.objects.filter(id=companion.id).update(prompt_version=1)
    scripted_provider.answer_with(answer(add("Mixes up ser and estar", messages=[2])))

    reply(conversation, "Soy cansado.", "You mix up ser and estar.")

    assert conversation.contents == ["Mixes up ser and estar"]


def test_what_is_said_with_the_persons_name_or_without_is_the_same(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    name = conversation.relationship.user.display_name or conversation.relationship.user.external_id
    conversation.remember("Is 34 years old", f"{name} likes tea")
    scripted_provider.answer_with(
        answer(add("The user is 34 years old"), add(f"{name} is 34 years old"), add("Likes tea"))
    )

    turn = conversation.hear("I'm 34, and I like tea.")

    assert [verdict for verdict, _ in conversation.verdicts(turn)] == ["none"] * 3
    assert len(conversation.entries) == 2


def test_a_name_is_followed_by_no_space_where_the_script_has_none(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    EndUser.objects.filter(id=conversation.relationship.user_id).update(display_name="佐藤美香")
    conversation.remember("横浜に住んでいる")
    scripted_provider.answer_with(
        answer(add("佐藤美香は横浜に住んでいる"), add("佐藤美香の母は横浜に住んでいる"))
    )

    turn = conversation.hear("横浜に住んでいて、母も横浜です。")

    assert [verdict for verdict, _ in conversation.verdicts(turn)] == ["none", "applied"]


@pytest.mark.parametrize(
    ("new", "left"),
    [
        (add("Dreams of running along the Tiber", type="goal", key="city"), 2),
        (add("Moved to Rome", type="identity", key="city"), 1),
        (add("Left Ghent for Rome", type="event", key="city"), 1),
    ],
    ids=["something else", "of the same type", "of the same thing"],
)
def test_a_key_given_at_random_supersedes_nothing(
    conversation: Conversation, scripted_provider: ScriptedProvider, new: dict[str, Any], left: int
) -> None:
    scripted_provider.answer_with(answer(add("Lives in Ghent", type="identity", key="city")), answer(new))

    conversation.hear("I live in Ghent.")
    conversation.hear("If I moved to Rome I'd run along the Tiber.")

    assert len(conversation.entries) == left


@pytest.mark.parametrize(
    ("said", "kept"),
    [("The red mixer came and works!", "The red mixer came"), ("Ana is here.", "Ada: The red mixer came")],
)
def test_what_the_person_says_after_the_companion_is_no_longer_the_companions_words(
    conversation: Conversation, scripted_provider: ScriptedProvider, said: str, kept: str
) -> None:
    conversation.remember("Ada: The red mixer comes on Friday", subject="Ada")
    scripted_provider.answer_with(*[answer(update(1, "The red mixer came", reason="it is here"))] * 2)

    conversation.hear(said)

    assert conversation.contents == [kept]
