"""Find texts that contain all words of a query: whole words and identifiers in any spelling, with the endings of the
relationship's language, and names also by their aliases. No index can do this, so texts are read piece by piece, up
to a limit."""

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any
from uuid import UUID

from memory.aliases import by_all_names
from memory.mending.candidates import language_of, sayings_of, stems_in
from memory.mending.prefilter import FirstLook
from memory.retrieval.index.language import NO_STEMS
from memory.words import Stems, Word, fold, is_in, one_word, spelt, words_of

MOST_READ = 1_000_000  # characters that are read for one page: a second
MOST_ROWS = 5000  # that are read at a time


class WithWords:
    """Filters rows, which come in pieces, by the words in their text. `spent`: it has read as much as it may."""

    def __init__(
        self,
        relationship_id: UUID | None,
        query: str,
        text: Callable[[Any], str] = lambda row: row.content,
        words: Sequence[Word] | None = None,
        most: int | None = None,
        language: str | None = None,
    ) -> None:
        """`words`: the query's words that count, if not all do. `most`: characters that may be read. `language`: the
        relationship's, if it is known. Without a relationship, texts may be in any language, so endings are unknown.
        """
        self._relationship_id, self._query, self._text = relationship_id, query, text
        self._most = most or MOST_READ
        self._wanted = words_of(query) if words is None else words
        if relationship_id and self._wanted:
            self._wanted = by_all_names(self._wanted, sayings_of(relationship_id))
        if language:
            self._language = language
        self.read, self._rows = 0, 0  # characters, and texts
        self._stems: dict[str, Sequence[str]] = {}

    @property
    def spent(self) -> bool:
        return self.read >= self._most

    @property
    def takes(self) -> int:
        """How many rows it can read, if they are as long as those before."""
        return min(MOST_ROWS, max(1, (self._most - self.read) * self._rows // max(1, self.read)))

    @cached_property
    def _language(self) -> str:
        return language_of(self._relationship_id) if self._relationship_id else NO_STEMS

    def __call__(self, rows: Sequence[Any]) -> list[Any]:
        """The rows that match. A query without words is searched literally."""
        texts = [self._text(row) for row in rows]
        self.read, self._rows = self.read + sum(map(len, texts)), self._rows + len(texts)
        if not self._wanted:
            sought = fold(self._query)
            return [row for row, text in zip(rows, texts, strict=True) if sought in fold(text)]
        look = FirstLook(self._wanted)
        may = [(row, text) for row, text in zip(rows, texts, strict=True) if look.may_have_all(text)]
        if not may:
            return []
        there = [words_of(text) for _, text in may]
        forms = {form for words in there for word in words if not word.identifier for form in word.forms}
        if new := {form for form in forms - self._stems.keys() if look.may_have_any(form)}:
            self._stems |= stems_in(self._language, [self._query, *new])
        has = (_has(self._wanted, spelt(words, self._stems), self._stems) for words in there)
        return [row for (row, _), found in zip(may, has, strict=True) if found]


def _has(wanted: Sequence[Word], there: Collection[str], stems: Stems) -> bool:
    """Return whether every word is there, or two neighbours as one: Anne Marie, ord 17."""
    held = {place for place, word in enumerate(wanted) if is_in(word, there, stems)}
    for place, (first, second) in enumerate(pairwise(wanted)):
        if one_word(first, second, there):
            held |= {place, place + 1}
    return len(held) == len(wanted)
