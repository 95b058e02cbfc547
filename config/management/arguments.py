"""Types for argparse that explain what they refuse."""

from argparse import ArgumentTypeError
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import TypeVar

N = TypeVar("N", int, float, Decimal)


def between(number: Callable[[str], N], low: int, high: int) -> Callable[[str], N]:
    """Return a type for numbers from `low` to `high`, parsed by `number`. It raises ArgumentTypeError."""

    def read(text: str) -> N:
        try:
            value = number(text)
            fits = low <= value <= high
        except (ValueError, InvalidOperation):
            raise ArgumentTypeError(f"{text!r} is not a number") from None
        if not fits:
            raise ArgumentTypeError(f"{text!r} is not between {low} and {high}")
        return value

    return read
