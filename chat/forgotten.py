"""Finds whether something that a reply's model was shown is gone by now, as the model may repeat it."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from chat.replies import Question
from chat.tools.definitions import READING
from chat.tools.run import Ran
from config.postgresql.sessions import prepared_cursor
from web.errors import NotFound

# An erased entry's row is gone, but not its history.
_FATE = """
SELECT EXISTS (SELECT 1 FROM relationships_message
                WHERE relationship_id = %(relationship)s AND id = ANY(%(ids)s) AND erased_at IS NOT NULL)
    OR EXISTS (SELECT 1 FROM memory_entryrevision
                WHERE relationship_id = %(relationship)s AND entry_id = ANY(%(ids)s) AND event = 'redact')
    OR EXISTS (SELECT 1 FROM summaries_summary
                WHERE relationship_id = %(relationship)s AND id = ANY(%(ids)s) AND erased_at IS NOT NULL),
       EXISTS (SELECT 1 FROM memory_mendingplan
                WHERE relationship_id = %(relationship)s AND state = 'carried_out' AND carried_out_at >= %(at)s),
       NOT EXISTS (SELECT 1 FROM relationships_relationship WHERE id = %(relationship)s AND created_at = %(since)s)
"""
_HIDDEN = """
SELECT EXISTS (SELECT 1 FROM relationships_message
                WHERE relationship_id = %(relationship)s AND id = ANY(%(ids)s) AND hidden_at IS NOT NULL)
    OR EXISTS (SELECT 1 FROM memory_scratchpadentry
                WHERE relationship_id = %(relationship)s AND id = ANY(%(ids)s) AND state = 'deleted')
    OR EXISTS (SELECT 1 FROM memory_mendingplan CROSS JOIN jsonb_array_elements(items) item
                WHERE relationship_id = %(relationship)s AND state = 'carried_out' AND carried_out_at >= %(at)s
                  AND (item ->> 'id')::uuid = ANY(%(ids)s))
"""


def fate_of(question: Question, ran: Iterable[Ran]) -> tuple[bool, bool]:
    """Return whether something is erased, and whether a wish has been carried out since. `ran`: the tools whose answers
    the model was shown. Raises NotFound if the whole relationship was erased, even if the pair has a new one, which has
    the same ID.
    """
    shown = [*ids_of(question.context.layers), *(one for use in ran for one in _ids(use))]
    erased, wished, is_another = _answer(_FATE, question, shown)
    if is_another:
        raise NotFound("This relationship was erased.")
    return erased, wished


def is_gone(question: Question, ran: Sequence[Ran]) -> bool:
    """Return whether something is erased, deleted or hidden, other than by these tools themselves. Raises NotFound."""
    own = {one for use in ran if use.name not in READING for one in _ids(use)}
    shown = {*ids_of(question.context.layers), *(one for use in ran for one in _ids(use))}
    return fate_of(question, ran)[0] or _answer(_HIDDEN, question, list(shown - own))[0]


def ids_of(layers: Iterable[Any]) -> list[UUID]:
    """The sources of the layers that are rows."""
    sources = [source for layer in layers for source in layer.sources]
    return [UUID(source) for source in sources if len(source) == 36 and source.count("-") == 4]


def _ids(use: Ran) -> list[UUID]:
    return [*use.entry_ids, *use.message_ids]


def _answer(statement: str, question: Question, ids: Sequence[UUID]) -> Sequence[bool]:
    relationship_id, at = question.relationship.id, question.context.assembled_at
    since = question.relationship.created_at
    asked: dict[str, Any] = {"relationship": relationship_id, "ids": ids, "at": at, "since": since}
    with prepared_cursor() as cursor:
        cursor.execute(statement, asked)
        found: Sequence[bool] = cursor.fetchone() or ()
    return found
