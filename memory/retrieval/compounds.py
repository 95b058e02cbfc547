"""Compounds that have a word of the question in them: "Allergie" also finds "Haselnussallergie".

Some languages write compounds as one word, which no stemmer splits. Those that were said in a relationship's newest
texts are looked up like the word itself. Only the question is widened, the index is not.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from config.postgresql.sessions import prepared_cursor
from memory.models import SearchedKind
from memory.retrieval.index.segments import SEGMENT
from memory.retrieval.related import Related

COMPOUNDING = frozenset("danish dutch finnish german hungarian norwegian swedish".split())
NEWEST, MOST_BYTES = 1024, 131_072  # texts; bytes of their words as they are stored
MOST_ASKED, MOST_FOUND = 20, 20  # words of a search; compounds
SHORTEST, MORE = 4, 4  # letters of a word, and of the other part
_WORD = re.compile(rf"[^\W\d_]{{{SHORTEST},}}")

_FIRST = "bananan"  # syllables before a word: stemmers cut more from the end of long words (Prüfung, Abschlusspruf)
_STEM = "coalesce((ts_lexize(%(stemmer)s, {}))[1], '')"
_NEWEST_ENTRIES = f"""
SELECT lexemes, told_at AS newest FROM memory_searchtext
 WHERE relationship_id = %(relationship)s AND kind = 'entry' ORDER BY told_at DESC LIMIT {NEWEST}"""  # noqa: S608
# The segments have each word of 128 messages once. What was said after them is read message by message.
_NEWEST_MESSAGES = f"""
(SELECT lexemes, number * {SEGMENT} AS newest FROM memory_searchsegment
  WHERE relationship_id = %(relationship)s ORDER BY number DESC LIMIT {NEWEST // SEGMENT})
UNION ALL
(SELECT lexemes, place FROM memory_searchtext WHERE relationship_id = %(relationship)s AND kind = 'message'
    AND place >= (SELECT coalesce(max(number) + 1, 0) * {SEGMENT} FROM memory_searchsegment
                   WHERE relationship_id = %(relationship)s)
  ORDER BY place DESC LIMIT {NEWEST})"""  # noqa: S608 - our own numbers
# The words of the newest texts, a line each.
SAID = {
    kind: f"""
SELECT string_agg(array_to_string(tsvector_to_array(lexemes), E'\n'), E'\n')
  FROM (SELECT lexemes, sum(pg_column_size(lexemes)) OVER (ORDER BY newest DESC) AS bytes
          FROM ({texts}) AS texts) AS measured
 WHERE bytes <= {MOST_BYTES}
"""  # noqa: S608 - our own names
    for kind, texts in {
        SearchedKind.ENTRY: _NEWEST_ENTRIES,
        SearchedKind.MESSAGE: _NEWEST_MESSAGES,
    }.items()
}
_STEMS_AND_WORDS = {
    kind: f"""
SELECT (SELECT array_agg(ARRAY[{_STEM.format("word")}, substr({_STEM.format(f"'{_FIRST}' || word")}, {len(_FIRST) + 1})]
                         ORDER BY place)
          FROM unnest(%(words)s::text[]) WITH ORDINALITY AS a (word, place)),
       ({said})
"""  # noqa: S608 - our own names
    for kind, said in SAID.items()
}


def compounds_with(
    questions: Sequence[str], language: str | None, *, relationship_id: UUID, kind: SearchedKind
) -> list[Related]:
    """The compounds for `questions`, which are written as in the index. One statement, in a language that has them."""
    if language not in COMPOUNDING or not (asked := list(_words(questions))[:MOST_ASKED]):
        return []
    values: dict[str, Any] = {
        "stemmer": f"pg_catalog.{language}_stem",
        "words": [word for _, word in asked],
        "relationship": relationship_id,
    }
    with prepared_cursor() as cursor:
        cursor.execute(_STEMS_AND_WORDS[kind], values)
        stems, said = cursor.fetchone() or ((), None)
    lines = f"\n{said or ''}\n"
    left, found = MOST_FOUND, []
    for (number, word), (first, last) in zip(asked, stems, strict=True):
        if first and (compounds := _with(first, last, lines)[:left]):
            left -= len(compounds)
            found.append(Related(number, " ".join([word, *compounds]), ""))
    return found


def _with(first: str, last: str, lines: str) -> list[str]:
    """The words that begin with `first` or end with `last`, the shortest ones first. A word at the beginning must be a
    letter longer, as there it is more often another: Reis, Reisekosten. `lines`: a word a line, some several times."""
    found = set(lines_with(f"{last}\n", lines)) if len(last) >= SHORTEST else set()
    if len(first) > SHORTEST:
        found |= {word for word in lines_with(f"\n{first}", lines) if len(word) >= len(first) + MORE}
    return sorted(
        (word for word in found if len(word) >= len(last) + MORE), key=lambda word: (len(word), word)
    )


def lines_with(part: str, lines: str) -> Iterator[str]:
    """The lines with `part`, which has one of the line breaks around them. Much faster than to look at each line."""
    place = lines.find(part)
    while place >= 0:
        end = lines.index("\n", place + 1)
        yield lines[lines.rindex("\n", 0, place + 1) + 1 : end]
        place = lines.find(part, end)


def _words(questions: Sequence[str]) -> Iterable[tuple[int, str]]:
    return dict.fromkeys(
        (number, word) for number, text in enumerate(questions) for word in _WORD.findall(text)
    )
