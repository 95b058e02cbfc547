"""What small models would have lost: by deletions that nobody asked for, and by the number of another entry."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.conf import settings

from memory.models import EntryState, ScratchpadEntry
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, delete, update

MARCH = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def test_what_is_merely_not_mentioned_is_not_deleted(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(add("Is allergic to peanuts"), add("Prefers tea")),
        answer(delete(1), delete(2), add("Works as a teacher")),
        answer(),
    )

    conversation.hear("Peanuts make me ill, and I prefer tea.")
    turn = conversation.hear("I'm a teacher at a school nearby, and done with tea.")

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


def test_of_many_messages_those_speak_of_a_deleted_entry_that_it_rests_on(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Is allergic to peanuts", "Has a cat, Mia", "Owns a boat", "Prefers tea")
    scripted_provider.answer_with(
        answer(delete(1), delete(2), delete(3, messages=[4]), delete(4, messages=[5]))
    )
    scripted_provider.otherwise = {"says": [], "unsure": []}

    for said in ("It rains.", "Still.", "I eat no peanuts, says Mia.", "I sold the boat.", "Forget that."):
        turn = conversation.say(said)
    conversation.drain()

    assert sorted(conversation.contents) == ["Has a cat, Mia", "Is allergic to peanuts"]
    assert conversation.again(turn).state == "applied"


def test_what_was_just_said_may_be_deleted_without_a_word_of_it(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Is the emperor of China")), answer(delete(1)))

    conversation.hear("I'm the emperor of China, ha.")
    conversation.hear("Only joking.")

    assert conversation.contents == []


def test_a_wish_in_a_script_that_no_rule_reads_is_the_models_to_hear(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("땅콩 알레르기가 있음")), answer(delete(1)))

    conversation.hear("저는 땅콩 알레르기가 있어요.")
    conversation.hear("방금 그 이야기는 기억하지 말아 주세요, 부탁드려요.")

    assert conversation.contents == []


def test_a_name_without_capitals_is_known_by_another_entry_about_it(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    worry = "さくらの卵アレルギーのため、給食を心配している"
    scripted_provider.answer_with(
        answer(add(worry), add("さくらは娘", subject="さくら")),
        answer(delete(1), add("卵は大丈夫")),
        answer(),
    )

    conversation.hear("娘のさくらは卵アレルギーがあるので、給食が心配です。")
    conversation.hear("検査の結果が出て、さくらはもう何でも食べられるそうです!")

    assert sorted(conversation.contents) == ["さくらは娘", "卵は大丈夫"]


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
        answer(delete(1), add("Runs on Sundays"), add("Can do 12 push-ups, too", subject="Ana")),
        answer(),
    )

    conversation.hear("I run on Sundays. Ana does 12 push-ups.")

    assert "Can do 12 push-ups" not in conversation.contents


@pytest.mark.parametrize("subject", ["Maya", "MAYA", "The user"])
def test_the_person_may_be_named_as_the_one_it_is_about(
    conversation: Conversation, scripted_provider: ScriptedProvider, subject: str
) -> None:
    scripted_provider.answer_with(
        answer(add("Lives in Porto", subject="user", key="city", type="identity")),
        answer(add("Lives in Lisbon", subject=subject, key="city", type="identity")),
    )

    conversation.hear("I live in Porto.")
    conversation.hear("I live in Lisbon now.")

    assert [(entry.subject, entry.content) for entry in conversation.entries] == [("user", "Lives in Lisbon")]


@pytest.mark.parametrize(
    "other",
    [
        add("Leo is 7", key="age", type="identity"),
        add("The neighbour's age is 70", key="age", type="relationship"),
    ],
    ids=["named", "of another type"],
)
def test_a_key_of_the_person_is_not_given_to_a_statement_about_another(
    conversation: Conversation, scripted_provider: ScriptedProvider, other: dict[str, Any]
) -> None:
    scripted_provider.answer_with(
        answer(add("Is of age 41", key="age", type="identity"), add("Leo is the son", subject="Leo")),
        answer(other),
    )

    conversation.hear("I'm 41 and have a son, Leo.")
    turn = conversation.hear("Leo is seven, the neighbour seventy.")

    assert {entry.content: entry.key for entry in conversation.entries} == {
        other["content"]: None, "Is of age 41": "age", "Leo is the son": None
    }  # fmt: skip
    assert "kept without" in conversation.verdicts(turn)[0][1]


def test_a_value_that_stands_alone_says_of_what_it_is(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(
            add("41", key="age", type="identity"),
            add("Lives in Rome", key="city", type="identity"),
            add("Ana", type="relationship"),
            add("Speaks Spanish", key="language"),
            add("May 4, 1985", key="born"),
            add("A" * settings.MAX_ENTRY_BYTES, key="cry"),
            add("From Porto", key="origin"),
            add("Porto is home", key="home"),
        ),
        answer(update(1, "42"), update(7, "Porto"), update(8, "Porto")),
    )

    conversation.hear("I'm 41 and live in Rome. Ana is here.")
    others = {"Lives in Rome", "Ana", "Speaks Spanish", "born: May 4, 1985", "A" * settings.MAX_ENTRY_BYTES}
    assert set(conversation.contents) == {"age: 41", *others, "From Porto", "Porto is home"}

    conversation.hear("42, sorry. And Porto, in a word.")
    assert sorted(conversation.contents) == sorted({"age: 42", *others, "Porto"})


def test_what_is_said_twice_under_a_mistaken_number_is_kept_once(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Ingrid has an account in Boston")
    scripted_provider.answer_with(
        answer(
            add("Per owes 1,200", subject="Per"), update(1, "Per owes 1,200"), update(9, "Per owes 1,200")
        ),
        answer(),
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


def test_an_operation_that_does_nothing_is_not_sent_back(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Has a cat")
    scripted_provider.answer_with(
        answer({"op": "NONE", "entry": 1, "content": "Has a cat", "messages": [1]}, add("Owns a boat"))
    )

    turn = conversation.hear("My cat likes my boat.")

    assert conversation.verdicts(turn)[0] == ("refused", "op is 'none': there is nothing to do")
    assert len(scripted_provider.requests) == 1
