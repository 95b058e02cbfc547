import pytest
from pydantic import ValidationError

from relationships.configuration.strict import Share, Strict


class Dish(Strict):
    """A part of a configuration."""

    salt: Share = 0.5
    """How much of it is salt."""


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValidationError, match="pepper"):
        Dish.model_validate({"pepper": 1})


def test_a_value_stays_as_it_was_read() -> None:
    dish = Dish(salt=0.1)

    with pytest.raises(ValidationError, match="frozen"):
        dish.salt = 0.9  # type: ignore[misc]


@pytest.mark.parametrize("share", [-0.01, 1.01, float("nan")])
def test_a_share_is_between_none_and_all(share: float) -> None:
    with pytest.raises(ValidationError, match="salt"):
        Dish(salt=share)


def test_a_fields_docstring_describes_it_in_the_schema() -> None:
    assert Dish.model_json_schema()["properties"]["salt"]["description"] == "How much of it is salt."
