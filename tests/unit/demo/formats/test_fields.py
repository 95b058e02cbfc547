from typing import Any

import pytest
from pydantic import TypeAdapter

from demo.formats.fields import Utterance, checked, refused
from web.errors import FieldProblem, InvalidInput

LINES = TypeAdapter(list[Utterance])


def test_what_is_right_comes_back() -> None:
    assert checked(LINES, ["Hi", "Olá 😅"]) == ["Hi", "Olá 😅"]


@pytest.mark.parametrize(
    ("data", "under", "field"),
    [(["Hi", " "], "", "1"), (["Hi", " "], "session_3", "session_3.1"), ("Hi", "session_3", "session_3")],
    ids=["at the top", "below a field", "the field itself"],
)
def test_what_is_wrong_is_named_from_the_given_field_down(data: Any, under: str, field: str) -> None:
    with pytest.raises(InvalidInput) as found:
        checked(LINES, data, under=under)
    assert [problem.field for problem in found.value.problems] == [field]


def test_every_problem_is_told_at_once() -> None:
    error = refused([FieldProblem("a", "is empty"), FieldProblem("b", "is required")])
    assert str(error) == "a: is empty; b: is required"
    assert len(error.problems) == 2
