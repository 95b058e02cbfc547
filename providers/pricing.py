"""The cost of a call, from prices in the settings.

Prices change and differ by contract, so none are built in: without a configured price, the cost is None. Set them as a
provider's option, in USD per million tokens, for input, output and (if it differs) cached input. A name that ends in *
is a prefix of models; the longest match wins:

    "prices": {"gemini-flash*": (0.50, 3.00, 0.05), "my-own-llama": (0, 0)}
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

SMALLEST = Decimal("0.00000001")  # eight decimal places, as in the database
MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens."""

    prompt: Decimal
    output: Decimal
    cached: Decimal


PriceTable = Mapping[str, Price]


def read_prices(stated: object) -> dict[str, Price]:
    """Parse the option `prices`. Raises ValueError with a sentence that names the model."""
    if not isinstance(stated, Mapping):
        raise ValueError("must map a model to its (input, output) USD per million tokens.")
    return {str(model): _read_price(str(model), figures) for model, figures in stated.items()}


def call_cost(
    prices: PriceTable,
    *,
    models: tuple[str, ...],
    prompt_tokens: int | None,
    output_tokens: int | None,
    cached_tokens: int | None = None,
) -> Decimal | None:
    """USD for one call, by the first of `models` with a price; None if the price or a count is unknown."""
    price = next((found for model in models if (found := _price_of(prices, model))), None)
    if price is None or prompt_tokens is None or output_tokens is None:
        return None
    cached = min(cached_tokens or 0, prompt_tokens)
    amount = (prompt_tokens - cached) * price.prompt + cached * price.cached + output_tokens * price.output
    return (amount / MILLION).quantize(SMALLEST)


def _read_price(model: str, figures: object) -> Price:
    complaint = f"{model!r} must have two or three amounts in USD per million tokens, such as (0.5, 3)."
    if isinstance(figures, Price):
        return figures
    if not isinstance(figures, list | tuple) or len(figures) not in (2, 3):
        raise ValueError(complaint)
    try:
        amounts = [Decimal(str(figure)) for figure in figures]
    except InvalidOperation as error:
        raise ValueError(complaint) from error
    if not all(amount.is_finite() and amount >= 0 for amount in amounts):
        raise ValueError(complaint)
    return Price(prompt=amounts[0], output=amounts[1], cached=amounts[2] if len(amounts) == 3 else amounts[0])


def _price_of(prices: PriceTable, model: str) -> Price | None:
    if model in prices:
        return prices[model]
    families = [name for name in prices if name.endswith("*") and model.startswith(name[:-1])]
    return prices[max(families, key=len)] if families else None
