"""Texts made fit to be embedded and dealt into calls, and what an embedder gave made into unit vectors. Pure.

A text longer than its model reads is cut at the end: what it begins with is what its vector stands for.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from providers.errors import InvalidVectors
from providers.tokens import estimate_tokens

NOTHING = "(empty)"  # vendors refuse a text without a word


def presentable(text: str) -> str:
    """The text without what no vendor can read: half a surrogate pair becomes a question mark, NUL a space.

    A text without a word becomes one.
    """
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    text = text.replace("\x00", " ")
    return text if text.strip() else NOTHING


def cut_to_tokens(text: str, most: int) -> str:
    """The beginning of a text, of about `most` tokens; the same text if it is not longer."""
    text = text[: most * 4]  # no script has more letters to a token
    while (estimate := estimate_tokens(text)) > most:
        text = text[: len(text) * most // estimate]
    return text


def batches(texts: Sequence[str], *, most_texts: int, most_tokens: int) -> Iterator[list[str]]:
    """The texts in order, in runs of so many texts and about so many tokens at most; never an empty run."""
    run: list[str] = []
    tokens = 0
    for text in texts:
        size = estimate_tokens(text)
        if run and (len(run) >= most_texts or tokens + size > most_tokens):
            yield run
            run, tokens = [], 0
        run.append(text)
        tokens += size
    if run:
        yield run


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
