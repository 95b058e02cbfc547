"""What small models get wrong, and what a person must not be misremembered by."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memory.ingestion.intake import accept_turn
from memory.models import EntryState, IngestionPrompt, ScratchpadEntry
from relationships.models import Companion
from relationships.services.turns import NewMessage, NewTurn
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, delete, update

MARCH = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def reply(conversation: Conversation, said: str, replied: str) -> list[tuple[str, str]]:
    """The verdicts on a turn of both."""
    messages = [NewMessage("user", said), NewMessage("assistant", replied)]
    turn = accept_turn(relationship=conversation.relationship, new=NewTurn(messages, occurred_at=MARCH)).turn
    conversation.drain()
    return conversation.verdicts(turn)


def test_what_is_merely_not_mentioned_is_not_deleted(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Is allergic to peanuts", "Prefers tea")
    scripted_provider.answer_with(answer(delete(1), delete(2), add("Works as a teacher")))

    turn = conversation.hear("I'm a teacher, and done with tea.")

    assert sorted(conversation.contents) == ["Is allergic to peanuts", "Works as a teacher"]
    refused, *others = conversation.verdicts(turn)
    assert "nobody asks to forget it" in refused[1]
    assert [verdict for verdict, _ in others] == ["applied", "applied"]


@pytest.mark.parametrize(
    ("deletion", "wishes", "said"),
    [
        (delete(1, untrue=True), [], "All of that was a joke."),
        (delete(1), [], "Please forget the last thing."),
        (
            delete(1),
            [{"kind": "forget", "what": "peanuts", "messages": [1]}],
            "Keep quiet about it from now on.",
        ),
        (delete(1), [], "Nuts, and peanuts above all, are fine."),
    ],
    ids=["untrue", "a wish that rules hear", "a wish that is reported", "spoken of"],
)
def test_what_is_asked_for_or_spoken_of_is_deleted(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    deletion: dict[str, Any],
    wishes: list[Any],
    said: str,
) -> None:
    conversation.remember("Is allergic to peanuts")
    scripted_provider.answer_with({**answer(deletion), "wishes": wishes})
    scripted_provider.otherwise = {"says": [{"number": 1}], "unsure": []}

    conversation.hear(said)

    assert conversation.contents == []


def test_what_was_just_said_may_be_deleted_without_a_word_of_it(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Is the emperor of China")), answer(delete(1)))

    conversation.hear("I'm the emperor of China, ha.")
    conversation.hear("Only joking.")

    assert conversation.contents == []


def test_an_entry_that_is_deleted_and_added_anew_is_replaced(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Can do 12 push-ups")
    scripted_provider.answer_with(answer(delete(1, reason="changed"), add("Can do 15 push-ups")))

    turn = conversation.hear("Now I can do 15!")

    assert conversation.contents == ["Can do 15 push-ups"]
    assert [verdict for verdict, _ in conversation.verdicts(turn)] == ["refused", "applied"]
    old = ScratchpadEntry.objects.for_relationship(turn.relationship_id).get(content="Can do 12 push-ups")
    assert old.state == EntryState.SUPERSEDED


def test_an_addition_about_something_else_takes_no_entrys_place(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Can do 12 push-ups", "Ana is the sister")
    scripted_provider.answer_with(
        answer(delete(1), add("Runs on Sundays"), add("Can do 12 push-ups, too", subject="Ana"))
    )

    conversation.hear("I run on Sundays. Ana does 12 push-ups.")

    assert "Can do 12 push-ups" not in conversation.contents


@pytest.mark.parametrize("fields", [{}, {"type": "identity", "subject": "Per"}], ids=["bare", "told"])
def test_an_update_that_says_nothing_of_its_entry_is_kept_beside_it(
    conversation: Conversation, scripted_provider: ScriptedProvider, fields: dict[str, Any]
) -> None:
    scripted_provider.answer_with(
        answer(add("Ingrid has an account in Boston", subject="Ingrid")),
        answer(update(1, "Per owes 1,200", **fields)),
    )

    conversation.hear("Ingrid's account is in Boston.")
    turn = conversation.hear("Per owes me 1,200.")

    assert [(entry.subject, entry.content) for entry in conversation.entries] == [
        (fields.get("subject", "user"), "Per owes 1,200"),
        ("Ingrid", "Ingrid has an account in Boston"),
    ]
    assert "says a word of entry 1" in conversation.verdicts(turn)[0][1]
    assert len(scripted_provider.requests) == 2


def test_what_is_said_twice_under_a_mistaken_number_is_kept_once(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Ingrid has an account in Boston")
    scripted_provider.answer_with(
        answer(add("Per owes 1,200", subject="Per"), update(1, "Per owes 1,200"), update(9, "Per owes 1,200"))
    )

    turn = conversation.hear("Per owes me 1,200.")

    assert sorted(conversation.contents) == ["Ingrid has an account in Boston", "Per owes 1,200"]
    assert [verdict for verdict, _ in conversation.verdicts(turn)] == ["applied", "refused", "refused"]


def test_two_updates_of_one_entry_are_both_kept(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Karl is the son")
    scripted_provider.answer_with(
        answer(*[update(1, "Karl, the son, is 50")] * 2, update(1, "Karl, the son, has a dog"))
    )

    turn = conversation.hear("Karl is 50 and has a dog.")

    assert sorted(conversation.contents) == ["Karl, the son, has a dog", "Karl, the son, is 50"]
    assert [verdict for verdict, _ in conversation.verdicts(turn)] == ["applied", "refused", "applied"]


@pytest.mark.parametrize(
    ("old", "missing"),
    [
        ("Karl is the son, a baker in Toronto", "Toronto"),
        ("Karl is the son, a baker who rarely calls", "baker"),
    ],
    ids=["a name", "all but the name"],
)
@pytest.mark.parametrize("reason", ["", "he moved and has changed"], ids=["without", "with a reason"])
def test_an_update_that_repeats_its_loss_stands_only_with_a_reason(
    conversation: Conversation, scripted_provider: ScriptedProvider, old: str, missing: str, reason: str
) -> None:
    conversation.remember(old)
    scripted_provider.answer_with(
        answer(update(1, "Karl has 2 children")), answer(update(1, "Karl has 2 children", reason=reason))
    )

    turn = conversation.hear("Karl has two children.")

    assert sorted(conversation.contents) == ["Karl has 2 children", *([] if reason else [old])]
    [(verdict, said)] = conversation.verdicts(turn)
    assert verdict == "applied" and missing in said
    assert missing in scripted_provider.requests[-1].history[-1][1]


@pytest.mark.parametrize(
    "operation",
    [
        add("Works as a nurse at St. Mary's"),
        add("Is allergic to nuts", type="identity"),
        add("Ana ran the Porto half marathon in 1:52", subject="Ana"),
        update(1, "Ana is the older sister; she lives in Porto with her dog Bo"),
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
