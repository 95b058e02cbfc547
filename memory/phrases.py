"""Find which of many phrases a text may quote, in any spacing and case, in time that grows with the text. Pure."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator

FEW = 20  # phrases that are each looked for; of more, only those with a part that the text has
PART = 8  # characters of a part
SLOTS = 2**20  # in which parts are counted


class Phrases:
    def __init__(self, phrases: Iterable[str]) -> None:
        self._bare = {phrase: _bare(phrase) for phrase in phrases}
        self._by_part = defaultdict[str, list[str]](list)  # by the part of it that is in the fewest
        if len(self._bare) > FEW:
            counts = array("L", [0]) * SLOTS
            for bare in self._bare.values():
                for part in _parts(bare):
                    counts[hash(part) % SLOTS] += 1
            for phrase, bare in self._bare.items():
                self._by_part[min(_parts(bare), key=lambda part: counts[hash(part) % SLOTS])].append(phrase)
        self._sizes = {len(part) for part in self._by_part}

    def __len__(self) -> int:
        return len(self._bare)

    def __iter__(self) -> Iterator[str]:
        return iter(self._bare)

    def found_in(self, text: str) -> list[str]:
        """Those that may be in the text, the longest first: spaces and case are not looked at."""
        bare = _bare(text)
        likely = self._likely(bare) if self._sizes else self._bare
        return sorted((one for one in likely if self._bare[one] in bare), key=len, reverse=True)

    def _likely(self, bare: str) -> Iterable[str]:
        places = ((at, size) for size in self._sizes for at in range(len(bare) - size + 1))
        met = {part for at, size in places if (part := bare[at : at + size]) in self._by_part}
        return (phrase for part in met for phrase in self._by_part[part])


def _bare(text: str) -> str:
    """The text without spaces, with all that an expression without regard to case takes for the same letter alike."""
    return "".join(text.upper().casefold().replace("\u0307", "").split())


def _parts(bare: str) -> Iterator[str]:
    last = max(0, len(bare) - PART)
    return (bare[at : at + PART] for at in (*range(0, last, PART), last))
