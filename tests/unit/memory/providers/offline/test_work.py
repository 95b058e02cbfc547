import pytest

from tests.labelled.scratchpad import Scratchpad, entry, remembered

NURSE = entry("Works as a nurse", "identity", key="job")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I work as a nurse at St. Mary's Hospital.", "Works as a nurse at St. Mary's Hospital"),
        ("I'm a software engineer.", "Works as a software engineer"),
        ("I'm head of marketing at a small brewery.", "Works as head of marketing at a small brewery"),
        ("I've been a paramedic for twelve years.", "Works as a paramedic"),
        ("I freelance as a translator.", "Freelances as a translator"),
        ("I work from home.", "Works from home"),
        ("I run my own bakery.", "Runs their own bakery"),
        ("I'm retired.", "Is retired"),
        ("I'm on parental leave until March.", "Is on parental leave until March 2027"),
        (
            "I'm studying architecture at the University of Porto.",
            "Studies architecture at the University of Porto",
        ),
        ("I'm doing a master's in linguistics.", "Is doing a master's in linguistics"),
        ("I got promoted to team lead yesterday!", "Got promoted to team lead on 25 November 2026"),
        (
            "I start my new job at the museum on Monday.",
            "Starts their new job at the museum on 30 November 2026",
        ),
    ],
)
def test_work_and_studies_are_kept(said: str, kept: str) -> None:
    assert remembered(said) == [kept]


def test_an_employer_refines_the_job_that_is_known() -> None:
    assert remembered("I work at Hospital da Luz.", NURSE) == ["Works as a nurse at Hospital da Luz"]
    assert remembered("I'm a nurse.", entry("Works as a nurse at Hospital da Luz", "identity")) == [
        "Works as a nurse at Hospital da Luz"
    ]


def test_a_new_job_takes_the_place_of_the_old_one() -> None:
    known = entry("Works as an accountant at Deloitte", "identity", key="job")
    assert remembered("I got a new job as a data analyst at Feedzai.", known) == [
        "Works as a data analyst at Feedzai"
    ]
    assert remembered("Big news: I got a new job at Feedzai!", known) == ["Works as an accountant at Feedzai"]


def test_a_role_and_an_employer_in_two_entries_become_one_with_a_new_job() -> None:
    two = (entry("Works at Google", "identity"), entry("Works as a designer", "identity"))
    assert remembered("I found a job as a teacher at a school in Faro.", *two) == [
        "Works as a teacher at a school in Faro"
    ]


def test_a_job_has_its_key() -> None:
    keys = [Scratchpad().hear(said)[0]["key"] for said in ("I work as a nurse.", "I work at Google.")]
    assert keys == ["job", "employer"]


@pytest.mark.parametrize(
    "said",
    ["I'm a mess.", "I'm at work right now.", "I work too much.", "I'm working on it.", "I'm a bit tired."],
)
def test_what_is_no_work_is_not_kept(said: str) -> None:
    assert remembered(said) == []
