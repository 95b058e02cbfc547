"""Search the entries of all relationships of a project for words, for operators."""

import re
from collections import defaultdict
from collections.abc import Collection
from functools import lru_cache
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.db.models import QuerySet

from memory.models import EntryState, ScratchpadEntry
from memory.models.entry import ENTRY_WORDS
from memory.names import WITHOUT_SPACES
from memory.words import UMLAUTS, WORD, Word, fold, normal, telephones, words_of

MOST_WORDS = 10
MOST_FOUND = 1000  # relationships; beyond that the search must be narrower
_WORD = re.compile(WORD)


def relationships_that_say(*, project_id: UUID, text: str) -> list[UUID]:
    """The relationships with an active entry that has words beginning with each of these, in any order and spelling.
    Numbers must match completely.

    Text in a script without spaces, or without any word, is searched literally, which reads every entry.
    """
    owned = _saying(ScratchpadEntry.objects.filter(project_id=project_id), text)
    return list(owned.order_by().values_list("relationship_id", flat=True).distinct()[:MOST_FOUND])


def lines_that_say(*, relationship_ids: Collection[UUID], text: str) -> dict[UUID, tuple[UUID, str]]:
    """For each relationship, the newest entry with which `relationships_that_say` found it: its ID and content."""
    found = _saying(ScratchpadEntry.objects.filter(relationship_id__in=relationship_ids), text)
    newest = found.order_by("relationship_id", "-effective_at", "-id").distinct("relationship_id")
    rows = newest.values_list("relationship_id", "id", "content")
    return {relationship_id: (entry_id, content) for relationship_id, entry_id, content in rows}


def _saying(entries: QuerySet[ScratchpadEntry], text: str) -> QuerySet[ScratchpadEntry]:
    active, words = entries.filter(state=EntryState.ACTIVE), words_of(text)[:MOST_WORDS]
    if not words or WITHOUT_SPACES.search(text):
        return active.filter(content__icontains=text)
    asked = " & ".join(f"({_asked(word, normal(text)[word.start : word.end])})" for word in words)
    query = SearchQuery(asked, config="simple", search_type="raw")
    return active.annotate(words=ENTRY_WORDS).filter(words=query)


def _asked(word: Word, written: str) -> str:
    """A pattern for a word: its parts in a row, the last only begun unless it is a number. For a telephone number, what
    its spellings share."""
    if numbers := telephones(written):
        return " | ".join(f"'{number.removeprefix('tel')[::-1]}':*" for number in numbers)
    spellings = (
        {fold(written), fold(written.casefold().translate(UMLAUTS))}
        if not word.identifier
        else {fold(written)}
    )
    return " | ".join(map(_in_a_row, sorted(spellings)))


def _in_a_row(written: str) -> str:
    parts = _WORD.findall(written)
    return " <-> ".join(f"'{part}'" + ("" if part[-1].isdigit() else ":*") for part in parts)


def names_in_text(text: str, name: str) -> bool:
    """Return whether the text contains this name or its first word, as whole words in any case."""
    wanted = in_singular(name)
    if wanted and WITHOUT_SPACES.search(name):
        return name.casefold() in text.casefold()
    return bool(wanted) and wanted[0] in in_singular(text)


def names_within(text: str, names: tuple[str, ...]) -> list[tuple[str, frozenset[str]]]:
    """Those of the names for which `names_in_text` is true, in their order, each with the words that `tells_whom`
    wants (none: it is told wholly). The names are read once, however many texts are searched for them.
    """
    spaced, others = _by_first_word(names)
    found = {place: words for first in set(in_singular(text)) for place, words in spaced.get(first, ())}
    said = text.casefold()
    found |= {place: frozenset() for place, name in others if name in said}
    return [(names[place], found[place]) for place in sorted(found)]


@lru_cache(maxsize=4)
def _by_first_word(
    names: tuple[str, ...],
) -> tuple[dict[str, list[tuple[int, frozenset[str]]]], list[tuple[int, str]]]:
    """The places and words of the names by the first one; and those in scripts without spaces, in lower case."""
    spaced, others = defaultdict[str, list[tuple[int, frozenset[str]]]](list), list[tuple[int, str]]()
    for place, name in enumerate(names):
        words = in_singular(name)
        if words and WITHOUT_SPACES.search(name):
            others.append((place, name.casefold()))
        elif words:
            spaced[words[0]].append((place, frozenset(words)))
    return spaced, others


def tells_whom(text: str, name: str) -> bool:
    """Return whether the text contains all of this name: "Anna" alone may be Anna K. or Anna Kowalska."""
    if WITHOUT_SPACES.search(name):
        return names_in_text(text, name)
    wanted = in_singular(name)
    return bool(wanted) and set(wanted).issubset(in_singular(text))


def in_singular(text: str) -> list[str]:
    return [word.removesuffix("s") for word in _WORD.findall(text.casefold())]
