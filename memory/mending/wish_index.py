"""The words of a wish, looked up by their spellings, so that a sentence is judged in the time that its own words take,
however many a wish has. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from itertools import pairwise

from memory.aliases import Aliases
from memory.mending.wishes import Wish
from memory.names import is_name
from memory.words import Stems, Word, one_word, spelt

AKIN = 5  # letters: two longer words with the same beginning are related: allergic, allergy


class WishIndex:
    """`numbers` are places in `wish.must` and in `wish.may`."""

    def __init__(self, wish: Wish, stems: Stems, aliases: Aliases | None = None) -> None:
        self.wish, self.stems = wish, stems
        self._words = defaultdict[str, set[int]](set)
        self._joined = defaultdict[str, set[int]](set)  # of neighbours that a text may write as one
        self._groups = defaultdict[str, set[int]](set)
        self._akin = defaultdict[str, list[tuple[int, int]]](list)  # lengths and numbers, by beginning
        for number, word in enumerate(wish.must):
            for spelling in spelt([word], stems):
                self._words[spelling].add(number)
            if not word.identifier and not word.capital and len(word.plain) > AKIN:
                self._akin[word.plain[:AKIN]].append((len(word.plain), number))
        for number, (first, second) in enumerate(pairwise(wish.must)):
            for form in {one + two for one in first.forms for two in second.forms}:
                if one_word(first, second, {form}):
                    self._joined[form] |= {number, number + 1}
        for number, group in enumerate(wish.may):
            for form in group:
                self._groups[form].add(number)
        wanted = self._words.keys() | self._joined.keys() | self._groups.keys()
        called = ((name, wanted.intersection(others)) for name, others in (aliases or {}).items())
        self._aliases = {name: others for name, others in called if others}

    def with_aliases(self, spellings: Collection[str]) -> set[str]:
        """The spellings, and those of the wish that are other names for one of them."""
        return set(spellings).union(*(self._aliases[name] for name in self._aliases.keys() & spellings))

    def words_in(self, there: set[str], words: Iterable[Word], sentence: str) -> set[int]:
        """Numbers of the words that the sentence has, or a word akin."""
        found = self._all_of(self._words, there) | self._all_of(self._joined, there)
        if self._akin:
            plain = (word.plain for word in words if not word.identifier and not is_name(word, sentence))
            for beginning, length in {(form[:AKIN], len(form)) for form in plain}:
                near = self._akin.get(beginning, ())
                found.update(number for other, number in near if abs(other - length) <= 3)
        return found

    def groups_in(self, there: set[str]) -> set[int]:
        return self._all_of(self._groups, there)

    def has(self, word: Word) -> bool:
        return not self._words.keys().isdisjoint(spelt([word], self.stems))

    @staticmethod
    def _all_of(numbers: dict[str, set[int]], there: set[str]) -> set[int]:
        return set().union(*(numbers[spelling] for spelling in numbers.keys() & there))
