import pytest

from tests.labelled.scratchpad import Scratchpad, entry, remembered


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I have a sister named Ana.", ["Has a sister named Ana"]),
        ("I have a sister, Ana.", ["Has a sister named Ana"]),
        ("My husband's name is Rui.", ["Has a husband named Rui"]),
        ("Our dog is called Waffles.", ["Has a dog named Waffles"]),
        ("I have a dog called Bruno and a cat.", ["Has a dog named Bruno", "Has a cat"]),
        ("We have two kids, Leo and Mia.", ["Has two kids, Leo and Mia"]),
        ("My daughters, Lea and Nora, are at university.", ["Has two daughters, Lea and Nora"]),
        ("I have three cats.", ["Has three cats"]),
        ("I had dinner with my cousin Beatriz and it was lovely.", ["Has a cousin named Beatriz"]),
        ("My older brother Tiago is here.", ["Has an older brother named Tiago"]),
        ("My brother דניאל is here.", ["Has a brother named דניאל"]),
        ("My wife and I have been together for ten years.", ["Has a wife"]),
    ],
)
def test_who_there_is_and_how_they_are_called_is_kept(said: str, kept: list[str]) -> None:
    assert remembered(said) == kept


def test_a_name_given_later_goes_to_the_one_without_a_name() -> None:
    assert remembered("We named the puppy Biscuit.", entry("Has a puppy", "relationship")) == [
        "Has a puppy named Biscuit"
    ]
    assert remembered("We adopted a kitten last weekend, her name is Miso.") == [
        "Has a kitten named Miso (adopted on the weekend of 21 November 2026)"
    ]


def test_a_wrong_name_is_put_right() -> None:
    known = entry("Has a sister named Anna", "relationship")
    assert remembered("My sister's name is Ana, not Anna.", known) == ["Has a sister named Ana"]
    assert remembered("My sister's name isn't Anna, it's Ana.", known) == ["Has a sister named Ana"]


def test_whoever_is_known_is_not_kept_twice() -> None:
    known = entry("Has a sister named Ana who lives in Faro", "relationship")
    assert remembered("I called my sister Ana.", known) == ["Has a sister named Ana who lives in Faro"]


def test_another_sister_stands_beside_the_first() -> None:
    assert remembered("I have a sister named Eva.", entry("Has a sister named Ana", "relationship")) == [
        "Has a sister named Ana",
        "Has a sister named Eva",
    ]


def test_a_partner_has_the_key_of_one() -> None:
    assert Scratchpad().hear("My husband's name is Rui.")[0]["key"] == "partner"


@pytest.mark.parametrize(
    "said", ["What do you know about my sister Ana?", "My boss is a nightmare.", "My sister Tuesday? No."]
)
def test_nobody_is_made_up(said: str) -> None:
    assert remembered(said) == []
