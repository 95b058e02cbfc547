"""Which texts have all the words of a query, as people expect it: whole words and identifiers, however they are spelt,
with the endings of the relationship's language. No index says so: texts are read piece by piece, and only so many."""

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import Any
from uuid import UUID

from memory.mending.candidates import stems_of
from memory.words import Stems, Word, fold, folds, is_in, one_word, spelt, words_of

MOST_READ = 1_000_000  # characters that one page looks through: a second


class WithWords:
    """Of rows that come in pieces, those whose text has the words. `spent`: it has read as much as it may."""

    def __init__(
        self, relationship_id: UUID, query: str, text: Callable[[Any], str] = lambda row: row.content
    ) -> None:
        self._relationship_id, self._query, self._text = relationship_id, query, text
        self._wanted = words_of(query)
        self.read = 0  # characters

    @property
    def spent(self) -> bool:
        return self.read >= MOST_READ

    def __call__(self, rows: Sequence[Any]) -> list[Any]:
        """A query of signs alone is looked for as it stands."""
        texts = [self._text(row) for row in rows]
        self.read += sum(map(len, texts))
        if not self._wanted:
            sought = fold(self._query)
            return [row for row, text in zip(rows, texts, strict=True) if sought in fold(text)]
        begins = [_beginnings(word) for word in self._wanted]
        may = [(row, text) for row, text in zip(rows, texts, strict=True) if _may_have(begins, text)]
        there = [words_of(text) for _, text in may]
        forms = {form for words in there for word in words if not word.identifier for form in word.forms}
        stems = stems_of(self._relationship_id, [self._query, " ".join(forms)])
        has = (_has(self._wanted, spelt(words, stems), stems) for words in there)
        return [row for (row, _), found in zip(may, has, strict=True) if found]


def _beginnings(word: Word) -> list[str]:
    """How one of its spellings begins in any text that has the word, whatever the ending; none where that is not sure:
    English changes a y to i at most, other scripts may change what stands before a word."""
    sure = not word.identifier and all(form.isascii() and form != "not" for form in word.forms)
    return [form[: 2 if len(form) < 5 else 3].replace("y", "i") for form in word.forms] if sure else [""]


def _may_have(begins: Sequence[Sequence[str]], text: str) -> bool:
    folded = folds(text).replace("y", "i")
    return all(any(begin in folded for begin in spellings) for spellings in begins)


def _has(wanted: Sequence[Word], there: Collection[str], stems: Stems) -> bool:
    """Every word, or two neighbours as one: Anne Marie, ord 17."""
    held = {place for place, word in enumerate(wanted) if is_in(word, there, stems)}
    for place, (first, second) in enumerate(pairwise(wanted)):
        if one_word(first, second, there):
            held |= {place, place + 1}
    return len(held) == len(wanted)
