import pytest

from memory.providers.offline.rewriting import (
    about_them,
    capitalised,
    first_person,
    is_past,
    plural,
    statement,
    third_person,
    uncapitalised,
    with_article,
)


@pytest.mark.parametrize(
    ("clause", "kept"),
    [
        ("I love my garden", "Loves their garden"),
        ("I went to my sister's", "Went to their sister's"),
        ("we are moving to Faro", "Is moving to Faro"),
        ("I have a dog", "Has a dog"),
        ("I will visit us all", "Will visit them all"),
        ("I never drink wine", "Never drinks wine"),
        ("I do not eat meat", "Does not eat meat"),
    ],
)
def test_a_clause_becomes_a_statement(clause: str, kept: str) -> None:
    assert statement(clause) == kept


@pytest.mark.parametrize(
    ("first", "third"),
    [
        ("go", "goes"),
        ("study", "studies"),
        ("watch", "watches"),
        ("play", "plays"),
        ("have", "has"),
        ("am", "is"),
        ("live", "lives"),
    ],
)
def test_verbs_are_turned_to_the_third_person_and_back(first: str, third: str) -> None:
    assert third_person(first) == third
    assert first_person(third) == first


@pytest.mark.parametrize("verb", ["went", "visited", "quit", "will", "cannot"])
def test_past_and_modal_verbs_stay_as_they_are(verb: str) -> None:
    assert third_person(verb) == verb


@pytest.mark.parametrize(
    ("verb", "past"), [("went", True), ("visited", True), ("need", False), ("red", False), ("go", False)]
)
def test_the_past_is_told_by_its_form(verb: str, past: bool) -> None:
    assert is_past(verb) is past


def test_pronouns_are_turned() -> None:
    assert about_them("my dog and I are ours, not myself") == "their dog and they are theirs, not themselves"


def test_several_take_the_plural() -> None:
    assert [plural(text) for text in ("Is visiting them", "Lives in Faro", "Has a boat")] == [
        "are visiting them",
        "live in Faro",
        "have a boat",
    ]


def test_capitals_and_articles_are_set() -> None:
    assert capitalised("  loves  tea. ") == "Loves tea"
    assert uncapitalised("Lives in Faro") == "lives in Faro"
    assert [with_article(noun) for noun in ("only child", "nurse", "university student")] == [
        "an only child",
        "a nurse",
        "a university student",
    ]
