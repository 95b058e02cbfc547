"""Who is meant by "my boss" or "she", as entries and what was said before tell."""

import pytest

from memory.coreference import MOST_MEANT, called, names_in, refers_back, roles_in, says_little
from tests.growth import MOST, growth


def who(question: str, *told: tuple[str, str]) -> list[str]:
    return called(roles_in(question).all, told, user="Maya")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What does my boss drive?", "Ines is the boss"),
        ("What does my boss drive?", "Ines is Maya's new boss since 2023"),
        ("What does my boss drive?", "The boss is called Ines"),
        ("What does my boss drive?", "Ines Duarte, the boss, moved to Porto"),
        ("What does my boss drive?", "Ines is the manager at Acme"),
        ("How is my boss?", "Ines has been the boss for a year"),
        ("How is the boss?", "The user's boss is Ines"),
        ("my dentist's number?", "Ines is a dentist"),
        ("My sommelier is ill", "Ines is the sommelier"),
        ("Wo wohnt meine Chefin?", "Ines ist die neue Chefin bei Acme"),
        ("Wie heißt der Hund meiner Schwester?", "Die Schwester heißt Ines"),
        ("¿Dónde vive mi hermana?", "La hermana mayor es Ines"),
        ("Où habite ma sœur ?", "Ines est la sœur"),
        ("Dove abita mia sorella?", "Ines è la sorella"),
    ],
)
def test_who_it_is_may_be_told_in_several_ways(question: str, told: str) -> None:
    assert who(question, ("Ines", told)) == ["Ines"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What does my boss drive?", ("Ines", "Ines argued with the boss")),
        ("What is my dog afraid of?", ("Ines", "Ines has a dog")),
        ("What is my dog afraid of?", ("Ines", "The dog bit Ines")),
        ("What is my dog afraid of?", ("Ines", "Ines is walking the dog")),
        ("What does my boss drive?", ("boss", "The boss drives a Volvo")),
        ("What does my boss drive?", ("user", "Is the boss of ten people")),
        ("What does Ines drive?", ("Ines", "Ines is the boss")),
    ],
)
def test_an_entry_that_does_not_say_who_somebody_is_gives_no_name(
    question: str, told: tuple[str, str]
) -> None:
    assert who(question, told) == []


@pytest.mark.parametrize(
    "told", ["Pavel is Hanna's husband", "Hannas Mann ist Pavel", "Pavel ist der Mann von Hanna"]
)
@pytest.mark.parametrize("question", ["my sister's husband", "der Mann meiner Schwester"])
def test_somebody_elses_husband_is_meant_only_beside_her(question: str, told: str) -> None:
    others = [("Karl", "Karl is Sonja's husband"), ("Egon", "Egon ist der Mann von Rosa"), ("Pavel", told)]
    roles = roles_in(f"{question} husband Mann").all
    sister = [("Hanna", "Hanna is the sister"), ("Hanna", "Hanna ist die Schwester")]

    assert called(roles, [*sister, *others]) == ["Hanna", "Pavel"]
    assert called(roles, [*others, ("Hanna", "Hanna is a baker")]) == []


def test_no_more_people_are_meant_than_may_be_looked_up() -> None:
    assert (
        len(who("my friend", *((f"Ana{place}", f"Ana{place} is a friend") for place in range(20))))
        == MOST_MEANT
    )


@pytest.mark.parametrize(
    ("question", "back"),
    [
        ("And where does she live now?", True),
        ("What is his dog called?", True),
        ("Wo wohnt sie jetzt?", True),
        ("¿Y dónde vive ahora?", True),
        ("And the other one?", True),
        ("Where does Ana live?", False),
        ("", False),
    ],
)
def test_a_question_goes_back_to_what_was_said_by_she_or_and(question: str, back: bool) -> None:
    assert refers_back(question) == back


@pytest.mark.parametrize(
    ("question", "little"),
    [
        ("And how much was it?", True),
        ("And before that?", True),
        ("What was the other?", True),
        ("Ou un autre ?", True),
        ("was it good?", True),
        ("Und die andere?", True),
        ("¿Y la otra?", True),
        ("et l'autre ?", True),
        ("And where does she live?", False),
        ("What do you know about me?", False),
        ("Wo ist das Buch?", False),
        ("It rained in Porto all week", False),
        ("And " + "so " * 40 + "on?", False),
        ("", False),
    ],
)
def test_a_question_says_little_if_it_has_hardly_a_word_but_it_or_the_other(
    question: str, little: bool
) -> None:
    assert says_little(question) == little


@pytest.mark.parametrize(
    "question",
    [
        "Où est mon passeport ?",
        "Ma femme aime quoi ?",
        "En quelle année suis-je né ?",
        "¿Dónde está el coche?",
        "¿En qué trabajo?",
        "È vero che ho un cane?",
        "O nome da minha mãe?",
        "Of what am I allergic?",
        "How is my son?",
        "¿Cuáles son mis alergias?",
        "What other hobbies do I have?",
    ],
)
def test_a_question_that_stands_alone_is_not_taken_for_one_that_goes_on(question: str) -> None:
    assert not refers_back(question)
    assert not says_little(question)


def test_words_with_a_capital_letter_may_be_names_unless_they_say_little() -> None:
    said = "Hey Ada, I met Ines and my Boss on Friday. She was with Tomás!"

    assert names_in(said, without=["Ada", "Maya"]) == ["Ines", "Tomás"]


def test_the_time_grows_no_faster_than_the_texts() -> None:
    def look(told: list[tuple[str, str]]) -> None:
        called(roles_in("my boss and my sister and my x" + " and my x" * len(told)).all, told)

    def entries(count: int) -> list[tuple[str, str]]:
        return [(f"Ana {place}", "the sister of the boss is " * 12) for place in range(count)]

    assert growth(look, entries, size=500) < MOST
