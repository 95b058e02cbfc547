import pytest

from tests.labelled.scratchpad import Scratchpad, entry, remembered


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Hi! My name is Maya.", "Name is Maya"),
        ("my name is siobhán o’neill", "Name is Siobhán O'Neill"),
        ("My name is أمل and I'm new here.", "Name is أمل"),
        ("Hello, I'm Tomás.", "Name is Tomás"),
        ("hey, Farah here", "Name is Farah"),
        ("Everybody calls me Jojo at work.", "Goes by Jojo"),
        ("My surname is Fernandes.", "Surname is Fernandes"),
        ("Don't call me Maddie.", "Does not want to be called Maddie"),
    ],
)
def test_a_name_is_kept(said: str, kept: str) -> None:
    assert remembered(said) == [kept]


def test_a_name_has_its_key() -> None:
    assert Scratchpad().hear("My name is Maya.")[0]["key"] == "name"


def test_a_nickname_stands_beside_the_name() -> None:
    known = entry("Name is Madalena", "identity", key="name")
    assert remembered("But please call me Maya.", known) == ["Name is Madalena, goes by Maya"]
    assert remembered("My name is Madalena.", entry("Name is Madalena, goes by Maya", "identity")) == [
        "Name is Madalena, goes by Maya"
    ]


def test_a_corrected_name_takes_the_place_of_the_wrong_one() -> None:
    assert remembered("Actually my name is spelled Katharine.", entry("Name is Catherine", "identity")) == [
        "Name is Katharine"
    ]


def test_somebody_whose_name_is_known_is_not_renamed_in_passing() -> None:
    assert remembered("I'm Batman!", entry("Name is Maya", "identity")) == ["Name is Maya"]


@pytest.mark.parametrize(
    "said",
    [
        "Call me later.",
        "Call me crazy, but I like it.",
        "I'm tired.",
        "Same here.",
        "I'm Portuguese, are you?",
    ],
)
def test_what_only_looks_like_a_name_is_none(said: str) -> None:
    assert not any("Name is" in content or "Goes by" in content for content in remembered(said))
