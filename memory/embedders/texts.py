"""Texts made fit to be embedded, and dealt into calls. Pure.

A text longer than its model reads is cut at the end: what it begins with is what its vector stands for.
"""

from collections.abc import Iterator, Sequence

from memory.tokens import estimate_tokens

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
