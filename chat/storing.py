"""Stores a reply: the turn, the tools that were called, and references to what the companion was shown."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from chat.forgotten import fate_of, ids_of
from chat.idempotency import metadata_of
from chat.messages import in_pieces, told_calls
from chat.models import KeptContext
from chat.replies import Question, Reply
from chat.tools.run import ToolUse, keep_call
from config.postgresql.rows import insert_of, rows_text
from config.postgresql.sessions import prepared_cursor
from memory.ingestion.intake import accept_turn
from memory.mending.echoes import hide_late_echoes
from relationships.ids import uuid7
from relationships.models import Turn
from relationships.services.model_budgets import count_spending
from relationships.services.turns import NewMessage, NewTurn
from web.actor import Actor

# The versions that the entries among the sources had when they were shown.
_VERSIONS = """
(SELECT coalesce(jsonb_object_agg(entry_id, version), '{}')
   FROM (SELECT entry_id, max(entry_version) AS version FROM memory_entryrevision
          WHERE relationship_id = %(relationship)s AND entry_id = ANY(%(ids)s) AND recorded_at <= %(at)s
          GROUP BY entry_id) AS shown)
"""
_KEEP_CONTEXT = insert_of(KeptContext, "contexts", entries=_VERSIONS)
MODEL = Actor.policy("memory_tools")  # a model asked for it during a reply


@dataclass(frozen=True, slots=True)
class Kept:
    """What was stored. `turn` is None if the call must not be remembered. `repeated`: the same call was
    stored before.
    """

    turn: Turn | None
    context_id: UUID | None
    repeated: bool = False


def tool_use_of(question: Question) -> ToolUse:
    return ToolUse(question.relationship, question.configuration, MODEL)


class _ErasedMeanwhile(Exception):
    """The reply may quote what is erased by now."""


def keep_reply(reply: Reply, *, interrupted: bool = False, early: Turn | None = None) -> Kept:
    """Accept the turn as POST /turns does, and store what belongs to it. `early`: the turn as which the person's
    message was accepted before the reply began. If something that the model was shown was erased meanwhile, what the
    model said is not stored; if it repeats what a wish hid meanwhile, it is hidden, too. Raises NotFound, InvalidInput.
    """
    try:
        return _keep_and_count(reply, interrupted, early, wordless=False)
    except _ErasedMeanwhile:
        return _keep_and_count(reply, interrupted, early, wordless=True)


@transaction.atomic
def _keep_and_count(reply: Reply, interrupted: bool, early: Turn | None, *, wordless: bool) -> Kept:
    kept = _keep(reply, interrupted, early, wordless=wordless)
    # Last, as everywhere: locking this row before the relationship's could deadlock.
    count_spending(
        reply.question.relationship.project_id,
        reply.completions,
        answered=bool(reply.finish),
        now=datetime.now(UTC),
    )
    return kept


def _keep(reply: Reply, interrupted: bool, early: Turn | None, *, wordless: bool) -> Kept:
    """`wordless`: without what the model said. Raises _ErasedMeanwhile otherwise."""
    question = reply.question
    if not question.remembered:
        return Kept(None, None)
    new = _turn_of(reply, interrupted, without_new=early is not None, wordless=wordless)
    if not new.messages:
        return Kept(early, None)
    # If an interrupted call is repeated, it must get a complete reply, so it does not use up the key.
    idempotency = None if interrupted else question.idempotency
    accepted = accept_turn(relationship=question.relationship, new=new, idempotency=idempotency)
    if not accepted.created:
        return Kept(accepted.turn, None, repeated=True)
    if not wordless:  # while the turn has the relationship's lock
        erased, wished = fate_of(question, reply.ran)
        if erased:
            raise _ErasedMeanwhile
        if wished:
            hide_late_echoes(
                question.relationship,
                accepted.turn.id,
                since=question.context.assembled_at,
                now=datetime.now(UTC),
            )
    use = tool_use_of(question)
    for ran in reply.ran:
        keep_call(use, replace(ran, arguments={}) if wordless else ran, turn_id=accepted.turn.id)
    return Kept(accepted.turn, _keep_context(reply, accepted.turn, interrupted))


def _turn_of(reply: Reply, interrupted: bool, *, without_new: bool, wordless: bool) -> NewTurn:
    question = reply.question
    common: dict[str, Any] = {
        "id": question.turn_id,
        "occurred_at": question.now,
        "session": question.session,
        "interrupted": interrupted,
    }
    if wordless:
        return NewTurn([] if without_new else list(question.new), **common)
    calls = told_calls([call.as_message() for call in reply.calls])
    told = "\n".join(filter(None, (reply.text, reply.refusal, calls)))
    said = [NewMessage("assistant", text) for text in in_pieces(told.replace("\x00", ""))]
    messages = [*([] if without_new else question.new), *said]
    asked_for_later = question.idempotency is not None or question.turn_id is not None
    if messages and asked_for_later and not interrupted:
        messages[-1] = replace(messages[-1], metadata={**messages[-1].metadata, **metadata_of(reply)})
    return NewTurn(messages, **common)


def _keep_context(reply: Reply, turn: Turn, interrupted: bool) -> UUID | None:
    context, wanted = reply.question.context, reply.question.configuration.context
    if wanted.keep == "none" or (wanted.keep == "sampled" and random.random() >= wanted.keep_share):  # noqa: S311
        return None
    layers = [_layer(report) for report in context.layers]
    ids = ids_of(context.layers)
    spent = [one for one in reply.completions if one is not None]
    kept = KeptContext(
        relationship_id=turn.relationship_id,
        project_id=turn.project_id,
        id=uuid7(),
        turn_id=turn.id,
        assembled_at=context.assembled_at,
        total_tokens=context.total_tokens,
        layers=layers,
        source_ids=ids,
        provider=reply.question.provider,
        model=reply.model,
        finish_reason="" if interrupted else reply.finish,
        prompt_tokens=sum(max(0, one.prompt_tokens or 0) for one in spent) if spent else None,
        output_tokens=sum(max(0, one.output_tokens or 0) for one in spent) if spent else None,
        milliseconds=reply.milliseconds,
    )
    asked: dict[str, Any] = {"relationship": turn.relationship_id, "ids": ids, "at": context.assembled_at}
    with prepared_cursor() as cursor:
        cursor.execute(_KEEP_CONTEXT, asked | {"contexts": rows_text([kept])})
    return kept.id


def _layer(report: Any) -> Mapping[str, Any]:
    return {
        "name": report.name,
        "tokens": report.tokens,
        "milliseconds": report.milliseconds,
        "reason": report.reason,
        "sources": list(report.sources),
        "reasons": dict(report.reasons or {}),
        **({"ends": dict(report.ends)} if report.ends else {}),
        **({"parts": dict(report.parts)} if report.parts else {}),
    }
