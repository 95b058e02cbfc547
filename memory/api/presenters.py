"""Rows as plain dicts, in the shapes of memory.api.answers."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from memory.api.answers import EntryAnswer, MessageOfTurn, ModelCallAnswer, RevisionAnswer, TurnAnswer
from memory.models import (
    EntryRevision,
    HeldDeletion,
    IngestionPrompt,
    ModelCall,
    OperationResult,
    ScratchpadEntry,
)
from memory.services.preview import Preview
from relationships.models import Message, Turn

_ENTRY = tuple(EntryAnswer.model_fields)
_REVISION = tuple(RevisionAnswer.model_fields)
_MESSAGE = tuple(MessageOfTurn.model_fields)
_CALL = tuple(name for name in ModelCallAnswer.model_fields if name != "cost")
_ASIDE = {"remembered", "deletions_awaiting_review"}  # in other tables
_TURN = tuple(name for name in TurnAnswer.model_fields if name not in _ASIDE)


def present_entry(entry: ScratchpadEntry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in _ENTRY}


def present_revision(revision: EntryRevision) -> dict[str, Any]:
    return {name: getattr(revision, name) for name in _REVISION}


def present_turn(
    turn: Turn, remembered: Iterable[EntryRevision] | None = None, *, awaiting_review: int | None = None
) -> dict[str, Any]:
    shown = None if remembered is None else [_remembered(revision) for revision in remembered]
    return {
        **{name: getattr(turn, name) for name in _TURN},
        "remembered": shown,
        "deletions_awaiting_review": awaiting_review,
    }


def present_trace(
    turn: Turn,
    *,
    remembered: Iterable[EntryRevision],
    awaiting_review: int | None,
    messages: Iterable[Message],
    operations: Iterable[OperationResult],
    calls: Iterable[ModelCall],
) -> dict[str, Any]:
    return {
        **present_turn(turn, remembered, awaiting_review=awaiting_review),
        "config": turn.config,
        "prompt_version": turn.prompt_version,
        "claimed_at": turn.claimed_at,
        "messages": [{name: getattr(message, name) for name in _MESSAGE} for message in messages],
        "operations": [result.as_json() for result in operations],
        "calls": [_call(call) for call in calls],
    }


def present_held(
    held: HeldDeletion,
    deletions: Iterable[OperationResult],
    entries: Mapping[UUID | None, ScratchpadEntry],
) -> dict[str, Any]:
    return {
        "id": held.id,
        "turn_id": held.turn_id,
        "state": held.state,
        "entries": [_held_entry(item, entries.get(item.entry_id)) for item in deletions],
        "decided_by": f"{held.decided_by_kind}:{held.decided_by_id}" if held.decided_by_kind else None,
        "decided_at": held.decided_at,
        "recorded_at": held.recorded_at,
    }


def present_prompt(prompt: IngestionPrompt, *, published: int | None) -> dict[str, Any]:
    return {
        "version": prompt.version,
        "template": prompt.template,
        "note": prompt.note,
        "published": prompt.version == published,
        "created_by": f"{prompt.created_by_kind}:{prompt.created_by_id}",
        "created_at": prompt.created_at,
    }


def present_preview(preview: Preview) -> dict[str, Any]:
    return {
        "prompt_version": preview.prompt_version,
        "operations": [result.as_json() for result in preview.results],
        "entries": [
            {"type": entry.type, "subject": entry.subject, "content": entry.content}
            for entry in preview.entries
        ],
        "system": preview.system,
        "prompt": preview.prompt,
        "answers": preview.answers,
        "prompt_tokens": preview.prompt_tokens,
        "output_tokens": preview.output_tokens,
        "cost": None if preview.cost is None else str(preview.cost),
        "milliseconds": preview.milliseconds,
    }


def _remembered(revision: EntryRevision) -> dict[str, Any]:
    fields = revision.after or {}
    return {
        "event": revision.event,
        "entry_id": revision.entry_id,
        "type": fields.get("type"),
        "content": fields.get("content"),
    }


def _call(call: ModelCall) -> dict[str, Any]:
    return {
        **{name: getattr(call, name) for name in _CALL},
        "cost": None if call.cost is None else str(call.cost),
    }


def _held_entry(item: OperationResult, entry: ScratchpadEntry | None) -> dict[str, Any]:
    return {
        "entry_id": item.entry_id,
        "reason": item.held_reason,
        "state": entry.state if entry else "erased",
        "type": entry.type if entry else None,
        "content": entry.content if entry else None,
        "changed_since": entry is not None and entry.version != item.entry_version,
    }
