from decimal import Decimal

import pytest

from providers.pricing import call_cost, read_prices

TABLE = read_prices(
    {"flash*": (0.5, 3), "flash-lite*": ("0.1", "0.4"), "flash-lite-7": [1, 1, 0], "free": (0, 0)}
)


@pytest.mark.parametrize(
    ("model", "cost"),
    [
        ("flash-9", Decimal("0.0035")),
        ("flash-lite-9", Decimal("0.0005")),
        ("flash-lite-7", Decimal("0.0015")),
        ("free", Decimal(0)),
        ("free-2", None),
        ("other", None),
    ],
)
def test_the_longest_name_that_fits_sets_the_price(model: str, cost: Decimal | None) -> None:
    paid = call_cost(TABLE, models=(model,), prompt_tokens=1000, output_tokens=1000, cached_tokens=500)

    assert paid == cost


def test_the_model_that_answered_counts_before_the_one_that_was_asked() -> None:
    paid = call_cost(TABLE, models=("flash-lite-7", "free"), prompt_tokens=0, output_tokens=1_000_000)

    assert paid == 1


def test_the_requested_model_is_priced_if_the_answer_names_an_unknown_one() -> None:
    paid = call_cost(TABLE, models=("gemini-99-0815", "free"), prompt_tokens=5, output_tokens=5)

    assert paid == 0


@pytest.mark.parametrize(("prompt", "output"), [(None, 5), (5, None)])
def test_without_counts_the_cost_is_unknown(prompt: int | None, output: int | None) -> None:
    assert call_cost(TABLE, models=("free",), prompt_tokens=prompt, output_tokens=output) is None


def test_a_cost_has_at_most_eight_places() -> None:
    paid = call_cost(read_prices({"m": ("0.0333", 0)}), models=("m",), prompt_tokens=7, output_tokens=0)

    assert paid == Decimal("0.00000023")


@pytest.mark.parametrize(
    "figures", [(1,), (1, 2, 3, 4), "12", ("a", "b"), (1, -2), (1, float("nan")), (1, None), 5]
)
def test_a_price_that_is_none_is_refused_by_its_models_name(figures: object) -> None:
    with pytest.raises(ValueError, match="'my-model' must have two or three amounts"):
        read_prices({"my-model": figures})
