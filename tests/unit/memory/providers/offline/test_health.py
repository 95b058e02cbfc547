import pytest

from tests.labelled.scratchpad import Scratchpad, entry, remembered


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I'm allergic to peanuts.", "Is allergic to peanuts"),
        ("I have a severe nut allergy.", "Is allergic to nut"),
        ("I'm lactose intolerant, so no milk for me.", "Is lactose intolerant"),
        ("I have asthma.", "Has asthma"),
        ("I have adhd.", "Has ADHD"),
        (
            "I was diagnosed with type 2 diabetes in October.",
            "Was diagnosed with type 2 diabetes in October 2026",
        ),
        ("Gluten makes me ill.", "Gets ill from gluten"),
        ("I take medication for high blood pressure.", "Takes medication for high blood pressure"),
        ("I've been sober for three years.", "Has been sober for three years (as of November 2026)"),
        ("I wear hearing aids.", "Wears hearing aids"),
    ],
)
def test_what_must_be_respected_is_kept(said: str, kept: str) -> None:
    assert remembered(said) == [kept]


def test_a_constraint_weighs_more_than_a_taste() -> None:
    weights = [
        operation["importance"] for operation in Scratchpad().hear("I'm allergic to nuts.", "I love jazz.")
    ]
    assert weights == [0.65, 0.6]


def test_a_denial_puts_right_what_was_known_and_adds_nothing_else() -> None:
    assert remembered("I'm not allergic to cats, only to dogs.", entry("Is allergic to cats")) == [
        "Is not allergic to cats",
        "Is allergic to dogs",
    ]
    assert remembered("Turns out I'm not lactose intolerant.") == []


@pytest.mark.parametrize(
    "said", ["I have a headache.", "I'm allergic to it.", "My head is spinning.", "I'm sick of this."]
)
def test_passing_complaints_are_not_kept(said: str) -> None:
    assert remembered(said) == []
