import pytest

from tests.labelled.scratchpad import Scratchpad, entry, known, remembered

INTERVIEW = entry("Has a job interview on 27 November 2026", "event")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("My exam is on the 3rd.", "Exam on 3 December 2026"),
        ("The dentist appointment is in two weeks.", "Dentist appointment around 10 December 2026"),
        ("My flight leaves on Tuesday at 6:40.", "Flight leaves on 1 December 2026 at 6:40"),
        ("My sister's wedding is in May.", "Sister's wedding in May 2027"),
        ("My wedding anniversary is on 9 July.", "Wedding anniversary on 9 July"),
        ("Saturday is our fifth anniversary.", "Fifth anniversary on 28 November 2026"),
    ],
)
def test_things_with_a_date_of_their_own_are_kept(said: str, kept: str) -> None:
    assert remembered(said) == [kept]


@pytest.mark.parametrize(
    ("said", "after"),
    [
        ("My interview got moved to Monday.", "Has a job interview on 30 November 2026"),
        ("The interview was moved from Friday to next Tuesday.", "Has a job interview on 1 December 2026"),
        ("The interview is cancelled.", "Has a job interview on 27 November 2026 (cancelled)"),
        ("We've called off the interview.", "Has a job interview on 27 November 2026 (cancelled)"),
        ("No wait, the interview is on Monday, not Friday.", "Has a job interview on 30 November 2026"),
    ],
)
def test_a_change_of_date_is_written_into_the_event(said: str, after: str) -> None:
    assert remembered(said, INTERVIEW) == [after]


def test_a_moved_event_has_its_new_day() -> None:
    operation = Scratchpad(known(INTERVIEW)).hear("My interview got moved to Monday.")[0]
    assert operation["happens_at"] == "2026-11-30"


def test_a_trip_is_known_by_where_it_goes() -> None:
    assert remembered(
        "The trip to Rome is cancelled.", entry("Is going to Rome on 12 December 2026", "event")
    ) == ["Is going to Rome on 12 December 2026 (cancelled)"]


@pytest.mark.parametrize(
    "said", ["The train was packed this morning.", "The weather is great this week.", "The show is great."]
)
def test_a_remark_is_no_date(said: str) -> None:
    assert remembered(said) == []
