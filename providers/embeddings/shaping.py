"""Prepares texts for an embedder, splits them into calls, and turns its answers into unit vectors. Pure.

A text longer than the model reads is cut at the end, so its vector stands for its beginning.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from providers.errors import InvalidVectors
from providers.tokens import estimate_tokens

NOTHING = "(empty)"  # vendors refuse texts without a word


def presentable(text: str) -> str:
    """Replace what vendors can't read: a lone surrogate becomes a question mark, NUL a space.

    A blank text becomes NOTHING.
    """
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    text = text.replace("\x00", " ")
    return text if text.strip() else NOTHING


def cut_to_tokens(text: str, most: int) -> str:
    """Cut a text to about `most` tokens."""
    text = text[: most * 4]  # no script has more letters per token
    while (estimate := estimate_tokens(text)) > most:
        text = text[: len(text) * most // estimate]
    return text


def batches(texts: Sequence[str], *, most_texts: int, most_tokens: int) -> Iterator[list[str]]:
    """Split the texts, in order, into non-empty batches of at most `most_texts` texts and about
    `most_tokens` tokens.
    """
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


Rows = Sequence[Any] | NDArray[Any]


def unit_vectors(
    batches: Sequence[tuple[Rows, int]], *, who: str, dimensions: int | None
) -> NDArray[np.float32]:
    """Join the rows of all batches into one float32 array, and normalise each to length 1.

    A batch is its rows and its number of texts. `dimensions`: the embedder's earlier number, None if unknown. Raises
    InvalidVectors, which names `who`.
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
    with np.errstate(over="ignore"):  # an infinite norm is refused below
        norms = np.linalg.norm(whole, axis=1, keepdims=True)
    if not norms.all():
        raise InvalidVectors(f"{who!r} gave a vector of zeros, which can't be compared.")
    if not np.isfinite(norms).all():
        raise InvalidVectors(f"{who!r} gave a vector of numbers too large to have a length.")
    vectors: NDArray[np.float32] = (whole / norms).astype(np.float32)
    vectors.flags.writeable = False  # a cache shares them
    return vectors


def _finite_rows(rows: Rows, count: int, *, who: str) -> NDArray[np.float64]:
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
