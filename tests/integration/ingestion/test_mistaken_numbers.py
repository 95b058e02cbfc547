"""An update with the number of another entry: neither text is lost, and no two things are made one."""

from typing import Any

import pytest

from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, update


@pytest.mark.parametrize("fields", [{}, {"type": "identity", "subject": "Per"}], ids=["bare", "told"])
@pytest.mark.parametrize(
    "again",
    [answer(update(1, "Per owes 1,200")), answer(), answer(add("Per owes 1,200")), "Sorry?"],
    ids=["the same", "nothing", "added", "prose"],
)
def test_an_update_that_says_nothing_of_its_entry_is_kept_beside_it(
    conversation: Conversation, scripted_provider: ScriptedProvider, fields: dict[str, Any], again: Any
) -> None:
    scripted_provider.answer_with(
        answer(add("Ingrid has an account in Boston", subject="Ingrid")),
        answer(update(1, "Per owes 1,200", **fields)),
        again,
    )

    conversation.hear("Ingrid's account is in Boston.")
    turn = conversation.hear("Per owes me 1,200.")

    assert [(entry.subject, entry.content) for entry in conversation.entries] == [
        (fields.get("subject", "user"), "Per owes 1,200"),
        ("Ingrid", "Ingrid has an account in Boston"),
    ]
    assert "is about something else" in conversation.verdicts(turn)[0][1]
    told = scripted_provider.requests[-1].history[-1][1]
    assert "- entry 1: Ingrid; Boston (seems to be about something else: never make two things one" in told


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Anne wants a film", "Anne"),
        ("Anna Kern wants a film", "Anna Kern"),
        ("Anna wants a film", "Anna K."),
    ],
)
def test_what_is_kept_beside_the_entry_of_another_is_about_the_one_it_begins_with(
    conversation: Conversation, scripted_provider: ScriptedProvider, text: str, subject: str
) -> None:
    about = {
        "Anna K.": "Anna K. wants a book of 90 pages",
        "Anne": "Anne bakes",
        "Anna Kern": "Anna Kern sails",
    }
    scripted_provider.answer_with(
        answer(*(add(content, subject=name) for name, content in about.items())),
        *[answer(update(1, text))] * 2,
    )

    conversation.hear("Anna K. wants a book of 90 pages. Anne bakes. Anna Kern sails.")
    conversation.hear("She wants a film.")

    assert (subject, text) in [(entry.subject, entry.content) for entry in conversation.entries]
    assert len(conversation.contents) == 4


@pytest.mark.parametrize("op", ["update", "replace"])
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Tom moved in", [("Tom", "Tom moved in"), ("Lena", "Lena is vegan")]),
        ("Tom is vegan, too", [("Tom", "Tom is vegan, too")]),
        ("Maya is vegan, too", [("user", "Maya is vegan, too")]),
        ("Maya's sister is vegan", [("Lena", "Maya's sister is vegan")]),
        ("Toms Frau ist vegan", [("Lena", "Toms Frau ist vegan")]),
        ("Lena Kern is vegan", [("Lena Kern", "Lena Kern is vegan")]),
        ("Lena is not vegan", [("Lena", "Lena is not vegan")]),
        ("Is not vegan", [("Lena", "Is not vegan")]),
    ],
)
def test_a_text_about_another_is_no_longer_about_the_one_of_its_entry_whatever_the_reason(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    op: str,
    text: str,
    told: list[tuple[str, str]],
) -> None:
    change = update(1, text, reason="it changed") | {"op": op}
    others = {"Tom": "Tom sails", "Lena Kern": "Lena Kern skis"}
    known = [add(content, subject=name) for name, content in {"Lena": "Lena is vegan", **others}.items()]
    scripted_provider.answer_with(answer(*known), answer(change), answer(change))

    conversation.hear("Lena is vegan, Tom sails, Lena Kern skis.")
    conversation.hear("And the other thing changed.")

    found = [(entry.subject, entry.content) for entry in conversation.entries]
    assert sorted(found) == sorted([*told, *others.items()])


@pytest.mark.parametrize("op", ["update", "replace"])
def test_a_date_that_both_have_makes_them_no_one_thing(
    conversation: Conversation, scripted_provider: ScriptedProvider, op: str
) -> None:
    trip = update(1, "Part au Japon le 9 avril 2027 avec 2 amis") | {"op": op}
    scripted_provider.answer_with(
        answer(add("Née le 12 avril 1993, pesait 2 kilos", key="birthday")), *[answer(trip)] * 2
    )

    conversation.hear("Je suis née le 12 avril 1993, je pesais 2 kilos.")
    conversation.hear("Je pars au Japon le 9 avril 2027, avec 2 amis.")

    assert [(entry.content, entry.key) for entry in conversation.entries] == [
        ("Part au Japon le 9 avril 2027 avec 2 amis", None),
        ("Née le 12 avril 1993, pesait 2 kilos", "birthday"),
    ]


def test_an_update_that_shares_only_whom_it_is_about_is_kept_beside_its_entry(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(add("Sofia is a dear friend", subject="Sofia")), *[answer(update(1, "Sofia gave a watch"))] * 2
    )

    conversation.hear("Sofia is a dear friend of mine.")
    conversation.hear("Sofia gave me a watch!")

    assert sorted(conversation.contents) == ["Sofia gave a watch", "Sofia is a dear friend"]
    assert "- entry 1: dear; friend" in scripted_provider.requests[-1].history[-1][1]


def test_what_is_kept_beside_a_plan_happens_on_the_day_that_it_names_itself(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    plan = "Planeó en 2026-02 la fiesta de inauguración el sábado 2026-03-07 a las 20:00"
    lunch = "Planned in 2026-02: a housewarming lunch on Sunday 2026-03-15 at 14:00"
    old = add(plan, type="event", happens_at="2026-03-07T20:00")
    scripted_provider.answer_with(answer(old), *[answer(update(1, lunch))] * 2)

    conversation.hear("La fiesta de inauguración es el sábado a las ocho.")
    conversation.hear("The housewarming moves: Sunday the 15th, lunch at two.")

    assert {entry.content: entry.happens_at for entry in conversation.entries} == {
        plan: "2026-03-07T20:00",
        lunch: "2026-03-15T14:00",
    }


def test_an_update_in_wholly_other_words_stands_with_a_reason(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Is pregnant, due in a month")
    born = "Gave birth to Mia on 2026-08-03"
    scripted_provider.answer_with(answer(update(1, born)), answer(update(1, born, reason="she was born")))

    conversation.hear("Mia is here since yesterday!")

    assert conversation.contents == [born]


def test_an_update_that_is_given_again_under_the_right_number_changes_that_entry(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Ingrid has an account in Boston", "Per owes 1,200")
    whole = "Per owes 1,200 since March"
    scripted_provider.answer_with(answer(update(1, whole)), answer(update(2, whole)))

    turn = conversation.hear("Per owes me that since March.")

    assert sorted(conversation.contents) == ["Ingrid has an account in Boston", whole]
    assert conversation.verdicts(turn) == [("applied", "was sent back once for what it left out: Boston")]


def test_an_update_that_is_given_again_under_a_wrong_number_changes_the_entry_that_was_asked_about(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Per is the cousin and is owed 600 for the car", "Pia is the head baker")
    whole = "Per is the cousin and is owed 400 for the car"
    scripted_provider.answer_with(answer(update(1, "Per is the cousin, got 200")), answer(update(2, whole)))

    conversation.hear("Paid Per 200 back, so 400 left.")

    assert sorted(conversation.contents) == [whole, "Pia is the head baker"]


def test_one_of_two_updates_may_be_given_again_under_another_number(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Ingrid has an account in Boston", "Per owes 1,200", "Eva moved to Bern in May")
    whole, moved = "Per owes 1,200 since March", "Eva moved to Bern in May, by train"
    scripted_provider.answer_with(
        answer(update(1, whole), update(3, "Eva moved by train")),
        answer(update(2, whole), update(3, moved)),
    )

    conversation.hear("Per owes me that since March. Eva moved by train.")

    assert sorted(conversation.contents) == [moved, "Ingrid has an account in Boston", whole]


def test_an_update_is_not_moved_to_an_entry_that_loses_something_by_it(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Ingrid has an account in Boston", "Per lives in Oslo")
    scripted_provider.answer_with(*(answer(update(entry, "Owes 1,200 since March")) for entry in (1, 2)))

    conversation.hear("I owe 1,200 since March.")

    assert sorted(conversation.contents) == [
        "Ingrid has an account in Boston", "Owes 1,200 since March", "Per lives in Oslo"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("again", "kept"),
    [(1, {2}), (2, {1, 2})],
    ids=["under the right number", "the same again"],
)
def test_an_update_that_says_all_of_another_entry_takes_nothing_from_its_own(
    conversation: Conversation, scripted_provider: ScriptedProvider, again: int, kept: set[int]
) -> None:
    told = (
        "Saw New York City and its restaurants",
        "Wants to see New York City with Per, who offered to help",
    )
    conversation.remember(*told)
    whole = "Saw New York City and its restaurants; the subway was hard at first"
    scripted_provider.answer_with(answer(update(2, whole)), answer(update(again, whole)))

    conversation.hear("In New York, the subway was hard at first.")

    assert set(conversation.contents) == {whole, *(told[number - 1] for number in kept)}
    assert "seems to be about something else" in scripted_provider.requests[-1].history[-1][1]


def test_an_update_may_say_all_of_another_entry_too(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    dog, found = "Has a dog named Rex", "Found a flat in Graz for themselves and the dog named Rex"
    conversation.remember("Is looking for a flat in Graz near the river with a garden", dog)
    scripted_provider.answer_with(answer(update(1, found)))

    conversation.hear("We have found a flat in Graz, Rex and I!")

    assert sorted(conversation.contents) == [found, dog]
    assert len(scripted_provider.requests) == 1
