import pytest

from tests.labelled.scratchpad import Scratchpad, entry, remembered


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I have a job interview tomorrow.", "Has a job interview on 27 November 2026"),
        ("I'm flying to Madrid next Friday.", "Is flying to Madrid on 4 December 2026"),
        (
            "I went to a pottery workshop last weekend.",
            "Went to a pottery workshop on the weekend of 21 November 2026",
        ),
        (
            "Next month I'm giving a talk at a conference.",
            "Is giving a talk at a conference in December 2026",
        ),
        ("I need to hand in my thesis by December 15.", "Needs to hand in their thesis by 15 December 2026"),
        ("I'll start my course on 2027-01-11.", "Will start their course on 11 January 2027"),
        (
            "I signed up for my first triathlon in August.",
            "Signed up for their first triathlon in August 2027",
        ),
        ("I graduated!", "Graduated"),
        ("I'm seeing the doctor on Tuesday.", "Is seeing the doctor on 1 December 2026"),
    ],
)
def test_what_happened_and_what_will_is_kept_with_its_date(said: str, kept: str) -> None:
    assert remembered(said) == [kept]


def test_an_event_has_its_day_where_it_is_one() -> None:
    operations = Scratchpad().hear("I have surgery in ten days.", "I went to Rome last week.")
    assert [operation.get("happens_at") for operation in operations] == ["2026-12-06", None]


def test_whoever_came_along_is_told() -> None:
    assert remembered("Ana and I went to Rome last week.", entry("Has a sister named Ana", "relationship"))[
        1:
    ] == ["Went to Rome in the week of 16 November 2026 with Ana"]


def test_an_event_that_is_told_again_is_not_kept_twice() -> None:
    known = entry("Has a job interview on 27 November 2026", "event")
    assert remembered("Tomorrow I have my job interview!", known) == [
        "Has a job interview on 27 November 2026"
    ]


def test_somebody_else_s_event_is_theirs() -> None:
    operation = Scratchpad().hear("My brother Tiago is visiting next week.")[1]
    assert (operation["subject"], operation["content"]) == (
        "Tiago",
        "Tiago is visiting in the week of 30 November 2026",
    )


@pytest.mark.parametrize(
    "said",
    [
        "I went to the supermarket this morning.",
        "I made pancakes this morning.",
        "I'll talk to you tomorrow.",
        "I have a lot to do today.",
        "I feel better than yesterday.",
        "I'm going to bed, good night!",
        "I think it's going to rain tomorrow.",
        "I almost quit my job yesterday.",
        "I dreamt that I moved to Mars last night.",
    ],
)
def test_everyday_things_are_no_event(said: str) -> None:
    assert remembered(said) == []
