"""Compounds that have a word of the question in them: "Allergie" also finds "Haselnussallergie".

Some languages write compounds as one word, which no stemmer splits. Those that were said in a relationship's newest
texts are looked up like the word itself. Only the question is widened, the index is not.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from config.postgresql.sessions import prepared_cursor
from memory.models import SearchedKind
from memory.retrieval.related import Related

COMPOUNDING = frozenset("danish dutch finnish german hungarian norwegian swedish".split())
NEWEST = 1000  # texts
MOST_ASKED, MOST_FOUND = 20, 20  # words of a search; compounds
SHORTEST, MORE = 4, 4  # letters of a word, and of the other part
_WORD = re.compile(rf"[^\W\d_]{{{SHORTEST},}}")

_FIRST = "bananan"  # syllables before a word: stemmers cut more from the end of long words (Prüfung, Abschlusspruf)
_STEM = "coalesce((tsvector_to_array(to_tsvector(%(config)s::regconfig, {})))[1], '')"
_STEMS_AND_LONG_WORDS = f"""
SELECT (SELECT array_agg(ARRAY[{_STEM.format("word")}, substr({_STEM.format(f"'{_FIRST}' || word")}, {len(_FIRST) + 1})]
                         ORDER BY place)
          FROM unnest(%(words)s::text[]) WITH ORDINALITY AS a (word, place)),
       (SELECT string_agg(DISTINCT lexeme, ' ')
          FROM (SELECT lexemes FROM memory_searchtext
                 WHERE relationship_id = %(relationship)s AND kind = %(kind)s
                 ORDER BY place DESC LIMIT {NEWEST}) newest,
               unnest(tsvector_to_array(lexemes)) AS lexeme
         WHERE length(lexeme) >= {SHORTEST + MORE})
"""  # noqa: S608 - our own numbers


def compounds_with(
    questions: Sequence[str], language: str | None, *, relationship_id: UUID, kind: SearchedKind
) -> list[Related]:
    """The compounds for `questions`, which are written as in the index. One statement, in a language that has them."""
    if language not in COMPOUNDING or not (asked := list(_words(questions))[:MOST_ASKED]):
        return []
    values: dict[str, Any] = {
        "config": f"pg_catalog.{language}",
        "words": [word for _, word in asked],
        "relationship": relationship_id,
        "kind": kind.value,
    }
    with prepared_cursor() as cursor:
        cursor.execute(_STEMS_AND_LONG_WORDS, values)
        stems, said = cursor.fetchone() or ((), None)
    long_words = (said or "").split()
    left, found = MOST_FOUND, []
    for (number, word), (first, last) in zip(asked, stems, strict=True):
        if first and (compounds := _with(first, last, long_words)[:left]):
            left -= len(compounds)
            found.append(Related(number, " ".join([word, *compounds]), ""))
    return found


def _with(first: str, last: str, words: Sequence[str]) -> list[str]:
    """The words that begin with `first` or end with `last`, the shortest ones first. A word at the beginning must be a
    letter longer, as there it is more often another: Reis, Reisekosten."""
    found = {word for word in words if word.endswith(last)} if len(last) >= SHORTEST else set()
    if len(first) > SHORTEST:
        found |= {word for word in words if word.startswith(first) and len(word) >= len(first) + MORE}
    return sorted(
        (word for word in found if len(word) >= len(last) + MORE), key=lambda word: (len(word), word)
    )


def _words(questions: Sequence[str]) -> Iterable[tuple[int, str]]:
    return dict.fromkeys(
        (number, word) for number, text in enumerate(questions) for word in _WORD.findall(text)
    )
