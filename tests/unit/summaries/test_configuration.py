import pytest
from pydantic import ValidationError

from summaries.configuration import Summaries


@pytest.mark.parametrize(
    ("values", "after", "upto", "points"),
    [
        ({}, 0, 199, []),
        ({}, 199, 201, [200]),
        ({}, 200, 399, []),
        ({}, 0, 1050, [200, 400, 600, 800, 1000]),
        ({}, 790, 800, [800]),
        ({}, 800, 999, []),
        ({"every": 0}, 0, 5000, [200, 400, 600]),
        ({"at": [10], "every": 5}, 10, 22, [15, 20]),
        ({"at": [], "every": 100}, 0, 250, [100, 200]),
    ],
)
def test_the_points_at_which_a_summary_is_made(
    values: dict[str, object], after: int, upto: int, points: list[int]
) -> None:
    assert Summaries.model_validate(values).points(after=after, upto=upto) == points


@pytest.mark.parametrize(
    "values",
    [
        {"at": [400, 200]},
        {"at": [200, 200]},
        {"words": 3},
        {"prompt": "{{ nothing() }}"},
        {"provider": "none"},
    ],
    ids=str,
)
def test_impossible_values_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Summaries.model_validate(values)
