"""The index of texts, checked against the entries and messages."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.models import SearchedKind
from memory.retrieval.index.configs import lock_config
from memory.retrieval.index.rows import OFF_THE_RECORD, entry_words, spoken
from memory.retrieval.index.segments import MADE, pack_again
from memory.retrieval.index.text import text_hash, words_for_index
from memory.retrieval.index.wording import Wording, with_other_words
from memory.retrieval.index.write import forget_texts, index_again
from upkeep.verification.invariant import AT_ONCE, Finding, Invariant, Page, Problem, rows

MISSING = Problem("missing", "an entry or message has no row in the index, so its words find nothing")
OUT_OF_STEP = Problem("out_of_step", "a row of the index tells something else than its entry or message")
WORDS = Problem(
    "words",
    "a row of the index has not the words of its text, which is not found by them; after an upgrade a worker "
    "rewrites it by itself, too",
)
OF_NOTHING = Problem(
    "of_nothing", "a row of the index is of an entry or message that does not exist, or was erased"
)

_ENTRIES = """
SELECT CASE WHEN s.id IS NULL THEN 'missing' ELSE 'out_of_step' END, e.relationship_id, e.id, 'entry'
  FROM (SELECT id FROM relationships_relationship WHERE id = ANY(%(ids)s)) w
  JOIN memory_scratchpadentry e ON e.relationship_id = w.id
  LEFT JOIN memory_searchtext s ON s.relationship_id = w.id AND s.kind = 'entry' AND s.owner_id = e.id
 WHERE s.id IS NULL OR (s.state, s.speaker, s.told_at) <> (e.state, e.subject, e.effective_at)
    OR s.text_hash <> sha256(convert_to(e.content, 'UTF8'))
"""
_STATE = "CASE WHEN t.id IS NULL THEN 'active' ELSE 'skipped' END"
# Of a message only what its speaker said is indexed. If that may not be all of it, Python removes the rest.
_MESSAGES = f"""
SELECT m.relationship_id, m.id, s.id IS NULL,
       (s.place, s.session, s.role, s.speaker, s.told_at, s.state)
       <> (m.seq, m.session, m.role, m.speaker, m.occurred_at, {_STATE}),
       m.content, s.text_hash
  FROM (SELECT id FROM relationships_relationship WHERE id = ANY(%(ids)s)) w
  JOIN relationships_message m ON m.relationship_id = w.id AND m.erased_at IS NULL AND m.hidden_at IS NULL
  LEFT JOIN memory_searchtext s ON s.relationship_id = w.id AND s.kind = 'message' AND s.owner_id = m.id
  LEFT JOIN relationships_turn t ON t.relationship_id = w.id AND t.id = m.turn_id AND {OFF_THE_RECORD}
 WHERE s.id IS NULL
    OR (s.place, s.session, s.role, s.speaker, s.told_at, s.state)
       <> (m.seq, m.session, m.role, m.speaker, m.occurred_at, {_STATE})
    OR s.text_hash <> sha256(convert_to(m.content, 'UTF8'))
"""  # noqa: S608 - a constant of ours
_OF_NOTHING = """
SELECT 'of_nothing', s.relationship_id, s.owner_id, s.kind
  FROM (SELECT id FROM relationships_relationship WHERE id = ANY(%(ids)s)) w
  JOIN memory_searchtext s ON s.relationship_id = w.id
 WHERE CASE s.kind
       WHEN 'entry' THEN NOT EXISTS (
            SELECT 1 FROM memory_scratchpadentry WHERE relationship_id = w.id AND id = s.owner_id)
       ELSE NOT EXISTS (
            SELECT 1 FROM relationships_message WHERE relationship_id = w.id AND id = s.owner_id
               AND erased_at IS NULL AND hidden_at IS NULL)
       END
"""


CHARACTERS_AT_ONCE = 4_000_000

_TEXTS = """
SELECT s.relationship_id, s.owner_id, s.kind, e.content, e.happens_at
  FROM memory_searchtext s JOIN memory_scratchpadentry e ON e.relationship_id = s.relationship_id AND e.id = s.owner_id
 WHERE s.relationship_id = ANY(%(ids)s) AND s.kind = 'entry'
UNION ALL
SELECT s.relationship_id, s.owner_id, s.kind, m.content, NULL
  FROM memory_searchtext s JOIN relationships_message m ON m.relationship_id = s.relationship_id AND m.id = s.owner_id
 WHERE s.relationship_id = ANY(%(ids)s) AND s.kind = 'message' AND m.erased_at IS NULL AND m.hidden_at IS NULL
"""


class IndexInvariant(Invariant):
    slug = "index"
    promise = (
        "Every entry, and every message that was neither erased nor hidden, has one row in the index, which tells "
        "its text and has the words of it."
    )

    problems = (MISSING, OUT_OF_STEP, WORDS, OF_NOTHING)
    statements = (_OF_NOTHING, _ENTRIES)

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        found = list(super().check(page, now=now))
        for owner_id, row_id, missing, other, content, digest in rows(_MESSAGES, page):
            if missing or other or bytes(digest) != text_hash(spoken(content)):
                found.append(Finding(MISSING if missing else OUT_OF_STEP, owner_id, row_id, "message"))
        yield from found
        named = {finding[1:] for finding in found}
        for row in rows_with_other_words(page):
            if row not in named:
                yield Finding(WORDS, *row)

    def repair(self, owner_id: Any, findings: Sequence[Finding], *, now: datetime) -> None:
        """Rewrite these rows, which then owe their vectors, and delete those without a text."""
        config = lock_config(owner_id)
        for kind in SearchedKind:
            mine = [finding for finding in findings if finding.detail == kind.value]
            gone = {f.row_id for f in mine if f.problem == OF_NOTHING and f.row_id}
            forget_texts(relationship_id=owner_id, kind=kind, owner_ids=gone)
            again = {f.row_id for f in mine if f.row_id} - gone
            if config is not None and again:
                index_again(config, kind, again, now=now)


def rows_with_other_words(page: Page) -> Iterator[tuple[UUID, UUID, str]]:
    """Relationship, owner and kind of the rows whose words are not those of the present text in their language."""
    waiting: list[Wording] = []
    characters = 0
    for relationship_id, owner_id, kind, content, happens_at in rows(_TEXTS, page):
        is_entry = kind == SearchedKind.ENTRY
        words = entry_words(content, happens_at) if is_entry else words_for_index(spoken(content))
        waiting.append((relationship_id, owner_id, kind, words))
        characters += len(words)
        if len(waiting) >= AT_ONCE or characters >= CHARACTERS_AT_ONCE:
            yield from with_other_words(waiting)
            waiting, characters = [], 0
    yield from with_other_words(waiting)


# The packed index of long conversations.
_SEGMENTS = f"""
SELECT 'out_of_step', n.relationship_id, n.id, n.number::text
  FROM (SELECT id FROM relationships_relationship WHERE id = ANY(%(ids)s)) w
  JOIN memory_searchsegment n ON n.relationship_id = w.id
  LEFT JOIN LATERAL ({MADE}) made ON true
 WHERE (n.languages::text[], n.names, n.packed, n.lexemes)
       IS DISTINCT FROM (made.languages::text[], made.names, made.packed, made.lexemes)
"""  # noqa: S608 - our own statement


class SegmentsInvariant(Invariant):
    slug = "segments"
    promise = "A segment of the index says what its rows say, of messages that may be found and of no others."
    problems = (
        Problem(
            "out_of_step", "a segment of the index tells something else than the rows it was packed from"
        ),
    )
    statements = (_SEGMENTS,)

    def repair(self, owner_id: Any, findings: Sequence[Finding], *, now: datetime) -> None:
        pack_again(owner_id, [int(finding.detail) for finding in findings])
