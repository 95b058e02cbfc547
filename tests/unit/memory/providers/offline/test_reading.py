from datetime import date

import pytest

from memory.providers.offline.clauses import Clause
from memory.providers.offline.notebook import Notebook
from memory.providers.offline.reading import Reading


def reading(*types: str) -> Reading:
    return Reading(notebook=Notebook(()), types=types, today=date(2026, 11, 26), message=1)


@pytest.mark.parametrize(
    ("subject", "type", "content"),
    [
        ("user", "identity", "Lives in Faro"),
        ("Ana", "identity", "Ana lives in Faro"),
        ("their son", "identity", "Has a son who lives in Faro"),
        ("their parents", "identity", "Their parents live in Faro"),
        ("their brother", "event", "Their brother lives in Faro"),
    ],
)
def test_a_statement_names_whom_it_is_about(subject: str, type: str, content: str) -> None:
    line = reading().keep(Clause("x", subject=subject), type, "Lives in Faro")
    assert line is not None
    assert line.content == content


def test_distant_people_without_a_name_are_not_worth_a_line() -> None:
    assert reading().keep(Clause("x", subject="their colleague"), "preference", "Hates mondays") is None


def test_a_key_belongs_to_the_person_alone() -> None:
    line = reading().keep(Clause("x", subject="their son"), "identity", "Lives in Faro", key="city")
    assert line is not None
    assert line.key is None


@pytest.mark.parametrize(
    ("types", "kept_as"),
    [((), "goal"), (("goal", "other"), "goal"), (("mood", "other"), "other"), (("mood", "food"), "mood")],
)
def test_a_type_the_companion_lacks_becomes_one_it_has(types: tuple[str, ...], kept_as: str) -> None:
    assert reading(*types).type_or_other("goal") == kept_as


def test_a_changed_line_keeps_its_subject() -> None:
    about = reading()
    line = about.keep(Clause("x", subject="Ana"), "identity", "Lives in Faro")
    assert line is not None
    about.rewrite(line, "No longer lives in Faro")
    assert line.content == "Ana no longer lives in Faro"
    about.strike(line, "was not so")
    assert list(about.notebook.lines()) == []


def test_dates_count_from_the_day_of_the_message() -> None:
    text, dates = reading().dated("flies tomorrow", past=False)
    assert (text, dates[0].day) == ("flies on 27 November 2026", date(2026, 11, 27))
