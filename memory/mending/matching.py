"""Which texts have all the words of a query, as people expect it: whole words and identifiers, however they are spelt,
with the endings of the relationship's language."""

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from uuid import UUID

from memory.mending.candidates import stems_of
from memory.mending.words import Stems, Word, fold, folds, is_in, one_word, spelt, words_of


def texts_with_words(relationship_id: UUID, query: str, texts: Iterable[tuple[UUID, str]]) -> list[UUID]:
    """The IDs of those that have them, in any order. A query of signs alone is looked for as it stands."""
    wanted = words_of(query)
    if not wanted:
        return [one for one, text in texts if fold(query) in fold(text)]
    begins = [_beginnings(word) for word in wanted]
    there = [(one, words_of(text)) for one, text in texts if _may_have(begins, text)]
    forms = {form for _, words in there for word in words if not word.identifier for form in word.forms}
    stems = stems_of(relationship_id, [query, " ".join(forms)])
    return [one for one, words in there if _has(wanted, spelt(words, stems), stems)]


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
