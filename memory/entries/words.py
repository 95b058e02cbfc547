"""Looks for words in what is remembered, across all relationships of a project: for operators."""

import re
from uuid import UUID

from django.contrib.postgres.search import SearchQuery

from memory.models import EntryState, ScratchpadEntry
from memory.models.entry import ENTRY_WORDS

MOST_WORDS = 10
MOST_FOUND = 1000  # relationships; whoever finds more has to ask for more
_WORD = re.compile(r"[^\W_]+")
# Scripts that put no space between words: Thai, Lao, Myanmar, Khmer, Kana, Han. There a word has no beginning to find.
_WITHOUT_SPACES = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]"
)


def relationships_that_say(*, project_id: UUID, text: str) -> list[UUID]:
    """The relationships of which an active entry has words that begin with each of these, in any order.

    Text of a script without spaces, and text without any word, is looked for as it stands, which reads every entry.
    """
    owned = ScratchpadEntry.objects.filter(project_id=project_id, state=EntryState.ACTIVE)
    words = _WORD.findall(text)[:MOST_WORDS]
    if words and not _WITHOUT_SPACES.search(text):
        asked = " & ".join(f"'{word}':*" for word in words)
        query = SearchQuery(asked, config="simple", search_type="raw")
        owned = owned.annotate(words=ENTRY_WORDS).filter(words=query)
    else:
        owned = owned.filter(content__icontains=text)
    return list(owned.order_by().values_list("relationship_id", flat=True).distinct()[:MOST_FOUND])


def names_in_text(text: str, name: str) -> bool:
    """Whether the text calls somebody by this name, or by its first word: a whole word of it, in any case."""
    said = {word.removesuffix("s") for word in _WORD.findall(text.casefold())}
    wanted = [word.removesuffix("s") for word in _WORD.findall(name.casefold())]
    if wanted and _WITHOUT_SPACES.search(name):
        return name.casefold() in text.casefold()
    return bool(wanted) and wanted[0] in said
