"""What an embedder gave, made into unit vectors, or refused in a sentence. Pure arithmetic."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.providers.errors import InvalidVectors

Batch = tuple[Sequence[Any] | NDArray[Any], int]


def unit_vectors(batches: Sequence[Batch], *, who: str, dimensions: int | None) -> NDArray[np.float32]:
    """The rows of all batches as one float32 array of rows of length 1.

    Each batch is its rows and how many texts they stand for; `dimensions` is what `who` gave before, None if it
    never did. Raises InvalidVectors, which names `who`.
    """
    parts = [_finite_rows(rows, count, who=who) for rows, count in batches]
    lengths = {part.shape[1] for part in parts} | ({dimensions} if dimensions else set())
    if len(lengths) > 1:
        stated = " and ".join(str(length) for length in sorted(lengths))
        raise InvalidVectors(
            f"{who!r} gave vectors of {stated} dimensions, which can't be compared. Has its model changed? "
            "Give the other one a name or an alias of its own."
        )
    if not parts:
        return np.zeros((0, dimensions or 0), dtype=np.float32)
    whole = np.concatenate(parts)
    with np.errstate(over="ignore"):  # such a norm is refused below
        norms = np.linalg.norm(whole, axis=1, keepdims=True)
    if not norms.all():
        raise InvalidVectors(f"{who!r} gave a vector of zeros, which is near to nothing.")
    if not np.isfinite(norms).all():
        raise InvalidVectors(f"{who!r} gave a vector of numbers too large to have a length.")
    vectors: NDArray[np.float32] = (whole / norms).astype(np.float32)
    vectors.flags.writeable = False  # a cache hands them to many
    return vectors


def _finite_rows(rows: Sequence[Any] | NDArray[Any], count: int, *, who: str) -> NDArray[np.float64]:
    if len(rows) != count:
        raise InvalidVectors(f"{who!r} gave {len(rows)} vectors for {count} texts.")
    try:
        array = np.asarray(rows, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise InvalidVectors(f"{who!r} gave rows of differing lengths, or no numbers.") from error
    if array.ndim != 2 or not array.shape[1]:
        raise InvalidVectors(f"{who!r} gave vectors without numbers.")
    if not np.isfinite(array).all():
        raise InvalidVectors(f"{who!r} gave a vector with NaN or infinity in it.")
    return array
