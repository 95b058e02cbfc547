import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.text import fenced_data, fill_names, fit_lines, keep_last, keep_within, line_cost
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


costs_of_things = st.lists(st.integers(min_value=1, max_value=50), max_size=30)


@given(costs_of_things, st.integers(min_value=-5, max_value=300))
def test_what_is_kept_fits_and_stays_in_order(costs: list[int], room: int) -> None:
    kept = keep_within(costs, room=room)

    assert sum(costs[place] for place in kept) <= max(room, 0)
    assert kept == sorted(set(kept))


@pytest.mark.parametrize(
    ("costs", "room", "first", "kept"),
    [
        ([5, 5, 5], 15, set(), [0, 1, 2]),
        ([5, 5, 5], 14, set(), [0, 1]),
        ([5, 5, 5], 10, {2}, [0, 2]),
        ([50, 5, 5], 12, set(), [1, 2]),
        ([5], 0, {0}, []),
    ],
    ids=["all fit", "the last goes", "the first go first", "a large one is passed over", "no room"],
)
def test_the_budget_decides_which_are_kept(
    costs: list[int], room: int, first: set[int], kept: list[int]
) -> None:
    assert keep_within(costs, room=room, first=first) == kept


@pytest.mark.parametrize(
    ("costs", "room", "count"),
    [([5, 5, 5], 10, 2), ([1, 50, 5], 10, 1), ([5], 0, 0), ([], 10, 0)],
    ids=["the first goes", "no gaps", "no room", "nothing"],
)
def test_the_last_are_kept_without_a_gap(costs: list[int], room: int, count: int) -> None:
    assert keep_last(costs, room=room) == count
