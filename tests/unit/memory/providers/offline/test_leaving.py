import pytest

from tests.labelled.scratchpad import entry, remembered


@pytest.mark.parametrize(
    ("said", "before", "after"),
    [
        (
            "I quit my job last Friday.",
            "Works as a barista at Copenhagen Coffee Lab",
            "Quit their job as a barista at Copenhagen Coffee Lab on 20 November 2026",
        ),
        (
            "I was laid off two weeks ago.",
            "Works at Spotify",
            "Was laid off from their job at Spotify around 12 November 2026",
        ),
        (
            "My company made me redundant in August.",
            "Works at Spotify",
            "Was laid off from their job at Spotify in August 2026",
        ),
        ("I retired in June.", "Works as a teacher", "Retired in June 2026"),
        ("I no longer work at Google.", "Works at Google", "No longer works at Google"),
        ("I'm not a teacher anymore.", "Works as a teacher", "No longer works as a teacher"),
        ("I don't work there anymore.", "Works at the city library", "No longer works at the city library"),
    ],
)
def test_a_job_that_is_over_is_said_to_be(said: str, before: str, after: str) -> None:
    assert remembered(said, entry(before, "identity")) == [after]


def test_a_job_that_was_never_held_goes() -> None:
    assert remembered("I'm not a doctor.", entry("Works as a doctor", "identity")) == []


def test_a_job_nobody_knew_of_is_an_event_when_it_is_quit() -> None:
    assert remembered("I quit my job yesterday.") == ["Quit their job on 25 November 2026"]


def test_a_new_job_follows_the_one_that_is_over() -> None:
    assert remembered("I work at Lindt now.", entry("Quit their job at Nestlé in May 2026", "identity")) == [
        "Works at Lindt"
    ]


@pytest.mark.parametrize(
    "said", ["I left my keys at home.", "I lost my umbrella.", "I almost quit my job yesterday."]
)
def test_other_things_are_left_without_a_word_on_work(said: str) -> None:
    assert remembered(said, entry("Works at Google", "identity")) == ["Works at Google"]
