import pytest

from memory.providers.offline.employment import article, is_over, role_and_employer, trimmed
from memory.providers.offline.notebook import Line


def line(content: str, subject: str = "user") -> Line:
    return Line(1, "identity", subject, content, None)


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("Works as a nurse at Hospital da Luz", ("nurse", "Hospital da Luz")),
        ("Works at Google", ("", "Google")),
        ("User works as an engineer", ("engineer", "")),
        ("Is a teacher", ("teacher", "")),
    ],
)
def test_role_and_employer_are_read_from_a_line(content: str, parts: tuple[str, str]) -> None:
    assert role_and_employer([line(content)]) == parts


def test_the_subject_of_a_line_is_no_part_of_its_role() -> None:
    assert role_and_employer([line("Ana works as a teacher", "Ana")]) == ("teacher", "")


def test_work_that_is_no_more_is_over() -> None:
    assert is_over(line("No longer works at Google"))
    assert is_over(line("Quit their job as a barista"))
    assert not is_over(line("Works at Google"))


def test_a_role_ends_where_the_sentence_goes_on() -> None:
    assert trimmed("nurse, mostly nights") == "nurse"
    assert trimmed("the city library since last May") == "the city library"


def test_a_role_takes_its_article_once() -> None:
    assert [article(role) for role in ("nurse", "engineer", "a cook", "head of sales")] == [
        "a nurse",
        "an engineer",
        "a cook",
        "head of sales",
    ]
