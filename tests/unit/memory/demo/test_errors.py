from pathlib import Path

import pytest

from memory.demo.errors import DemoFailed, RequestFailed, UnknownRecipe, UnreadableConversation
from relationships.errors import FieldProblem, InvalidInput


@pytest.mark.parametrize(
    ("problems", "sentence"),
    [
        ([FieldProblem("turns.0.day", "is required")], "a.json can't be read. turns.0.day: is required."),
        ([FieldProblem("", "It is not JSON")], "a.json can't be read. It is not JSON."),
        (
            [FieldProblem("a", "is empty")] * 7,
            f"a.json can't be read. {'; '.join(['a: is empty'] * 5)}; and 2 more.",
        ),
    ],
    ids=["a field", "the whole file", "many"],
)
def test_an_unreadable_conversation_names_its_file_and_fields(
    problems: list[FieldProblem], sentence: str
) -> None:
    error = UnreadableConversation(Path("a.json"), problems)
    assert str(error) == sentence
    assert isinstance(error, InvalidInput)


def test_an_unknown_recipe_is_named_with_those_there_are() -> None:
    error = UnknownRecipe("five_call", [FieldProblem("recipe", "known: scratchpad, two_call")])
    assert str(error) == "There is no recipe 'five_call': known: scratchpad, two_call."


def test_a_failed_request_keeps_its_status() -> None:
    error = RequestFailed(409, "taken")
    assert (error.status, str(error)) == (409, "taken")
    assert isinstance(error, DemoFailed)
