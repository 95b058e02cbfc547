import pytest

from context.text import fenced_data, fill_names, fit_lines, line_cost
from providers.tokens import estimate_tokens
from tests.fixtures.contexts import layer_request

FACTS = layer_request().facts


def test_names_are_filled_in_wherever_they_stand() -> None:
    assert fill_names("{user}, {companion}, {user}", FACTS) == "Maya, Ada, Maya"


def test_lines_cost_no_less_than_their_text() -> None:
    lines = ["abc", "de", "", "Лиссабон"]

    assert sum(map(line_cost, lines)) >= estimate_tokens("\n".join(lines))


@pytest.mark.parametrize("budget", range(30))
def test_lines_that_fit_are_never_more_than_the_budget(budget: int) -> None:
    lines = ["one line", "another line, longer", "a third", "four"]

    kept, left = fit_lines(lines, budget=budget)

    assert estimate_tokens("\n".join(lines[place] for place in kept)) <= budget
    assert sorted([*kept, *left]) == [0, 1, 2, 3]


def test_data_nested_deeper_than_a_reader_follows_stays_json() -> None:
    text, left = fenced_data(
        {"a": {"b": {"c": {"d": {"e": {"f": {"g": 1}}}}}}}, what="profile", intro="Data:", budget=None
    )

    assert '- a.b.c.d.e.f: {"g":1}' in text
    assert left == []


def test_empty_objects_and_lists_are_shown_as_such() -> None:
    text, _ = fenced_data({"a": {}, "b": []}, what="profile", intro="Data:", budget=None)

    assert "- a: {}\n- b: []" in text
