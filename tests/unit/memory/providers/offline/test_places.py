import pytest

from memory.providers.offline.clauses import Clause
from memory.providers.offline.places import place_in
from tests.labelled.scratchpad import Scratchpad, entry, remembered

PORTO = entry("Lives in Porto", "identity", key="city")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I live in Lisbon.", "Lives in Lisbon"),
        ("i live in são paulo with two flatmates", "Lives in São Paulo"),
        ("Since September I live in Ghent.", "Lives in Ghent"),
        ("I've lived in Zurich since 2015.", "Lives in Zurich"),
        ("We've been in Rotterdam since 2018.", "Lives in Rotterdam"),
        ("I split my time between Paris and Lyon.", "Splits their time between Paris and Lyon"),
        ("My flat is in Alfama, near the castle.", "Home is in Alfama"),
        ("I live with my parents.", "Lives with their parents"),
        ("I'm originally from Cape Town.", "Is from Cape Town"),
        ("I grew up in a small village near Évora.", "Grew up in a small village near Évora"),
        ("We're moving to Lisbon next month.", "Is moving to Lisbon in December 2026"),
        ("I moved to Porto last month.", "Lives in Porto (moved there in October 2026)"),
    ],
)
def test_homes_moves_and_origins_are_kept(said: str, kept: str) -> None:
    assert remembered(said) == [kept]


def test_a_move_takes_the_place_of_the_old_home_and_of_the_plan() -> None:
    plan = entry("Is moving to Lisbon in November 2026", "event")
    flat = entry("Home is in Foz", "identity")
    assert remembered("I finally moved to Lisbon yesterday!", PORTO, plan, flat) == [
        "Lives in Lisbon (moved from Porto in November 2026)"
    ]


def test_a_plan_to_move_leaves_the_home_alone() -> None:
    assert remembered("I'm moving to Braga next week.", PORTO) == [
        "Lives in Porto",
        "Is moving to Braga in the week of 30 November 2026",
    ]


def test_what_was_never_so_goes_and_what_is_no_longer_so_is_said() -> None:
    assert remembered("I don't live in Porto.", PORTO) == []
    assert remembered("I don't live in Porto anymore.", PORTO) == ["No longer lives in Porto"]


def test_somebody_else_s_words_for_the_home_are_understood() -> None:
    assert remembered("I live in Faro.", entry("Maya lives in Porto", "identity")) == ["Lives in Faro"]
    assert remembered("I live in Porto now.", entry("The user currently lives in Porto", "identity")) == [
        "The user currently lives in Porto"
    ]


def test_a_home_has_its_key() -> None:
    assert Scratchpad().hear("I live in Lisbon.")[0]["key"] == "city"


@pytest.mark.parametrize(
    "said", ["I live in fear.", "I live in constant pain.", "I moved to marketing.", "We live in hope."]
)
def test_what_is_no_place_is_not_kept(said: str) -> None:
    assert remembered(said) == []


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("Lisbon with my sister", "Lisbon"),
        ("a flat in Graça", "a flat in Graça"),
        ("trouble", ""),
        ("Lisbon since May", "Lisbon"),
    ],
)
def test_a_place_ends_where_the_sentence_goes_on(said: str, place: str) -> None:
    assert place_in(said, Clause("I live in it")) == place
