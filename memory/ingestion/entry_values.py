"""The values of an entry's fields after an operation."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.entries.fingerprint import content_hash
from memory.entries.happens import expires_with, moved_with, span_of, told_as
from memory.entries.limits import MAX_TAGS
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import Operation
from memory.models import USER_SUBJECT, EntrySource, ScratchpadEntry
from memory.words import words_of
from relationships.ids import uuid7


def said_at_of(given: IngestionInput, operation: Operation) -> datetime:
    """Effective time: when the last message that it cites was said; the last message of all if it cites none."""
    return max(message.occurred_at for message in given.cited(operation.messages) or given.messages)


def ended_at_of(given: IngestionInput, operation: Operation, entry: ScratchpadEntry) -> datetime:
    """Until when a replaced entry was valid: when the new state began, if that is known and plausible, or was told."""
    said_at = said_at_of(given, operation)
    began = span_of(operation.happens_at, given.timezone).begins if operation.happens_at else said_at
    return began if entry.effective_at <= began <= said_at else said_at


def cited_ids(given: IngestionInput, operation: Operation) -> list[UUID]:
    """The messages that it cites, in the order in which they were said."""
    cited = given.cited(operation.messages)
    return [message.id for message in (*given.cited(earlier=sorted(operation.earlier)), *cited)]


def subject_of(operation: Operation, entry: ScratchpadEntry | None = None) -> str:
    return operation.subject or (entry.subject if entry else USER_SUBJECT)


def labels_of(given: IngestionInput, operation: Operation) -> tuple[dict[str, str], str, str]:
    """Tags, category and modality of the cited turns; the later turn wins."""
    cited = {message.turn_id for message in given.cited(operation.messages)}
    tags: dict[str, str] = {}
    category, modality = "", "text"
    for turn in (turn for turn in given.turns if turn.id in cited):
        tags |= turn.tags
        category, modality = turn.category or category, turn.modality
    return dict(list(tags.items())[-MAX_TAGS:]), category, modality


def new_entry(given: IngestionInput, operation: Operation, subject: str, *, now: datetime) -> ScratchpadEntry:
    said_at = said_at_of(given, operation)
    tags, category, modality = labels_of(given, operation)
    return ScratchpadEntry(
        relationship_id=given.relationship_id,
        project_id=given.project_id,
        id=uuid7(),
        type=operation.type,
        subject=subject,
        content=operation.content,
        content_hash=content_hash(operation.content),
        key=operation.key,
        tier=operation.tier,
        importance=operation.importance if operation.importance is not None else 0.5,
        confidence=operation.confidence if operation.confidence is not None else 1.0,
        tags=tags,
        category=category,
        modality=modality,
        source=EntrySource.TURN,
        source_message_ids=cited_ids(given, operation),
        recorded_at=now,
        effective_at=said_at,
        happens_at=operation.happens_at,
        expires_at=_ahead(operation.expires_at, said_at),
        valid_from=operation.valid_from,
    )


def take_place_of(held: ScratchpadEntry, entry: ScratchpadEntry) -> None:
    """Give a new value the tier of the old one. If its text also contains the old value ("Rex, a dog; Mia, a cat"), it
    cites the same messages, so that it can be found and forgotten by them.
    """
    entry.tier = held.tier
    if _words(held) & _words(entry):
        entry.source_message_ids = held.citing(entry.source_message_ids)


def _words(entry: ScratchpadEntry) -> set[str]:
    """The distinctive words of a value that is kept as `key: value`: names, numbers, and long words."""
    before, key, value = entry.content.partition(f"{entry.key}: ")
    if before or not key:
        return set()
    said = (word for word in words_of(value) if word.capital or word.identifier or word.end - word.start > 3)
    return {form for word in said for form in word.forms}


def new_values(given: IngestionInput, operation: Operation, entry: ScratchpadEntry) -> dict[str, Any]:
    """The values of an entry that an operation updates. Its key stays."""
    said_at, cleared = said_at_of(given, operation), operation.cleared
    old, new, timezone = entry.content, operation.content, given.timezone
    kept = entry.happens_at and moved_with(entry.happens_at, old=old, new=new)
    happens_at = operation.happens_at or (None if "happens_at" in cleared else kept)
    dated = f"{new} {told_as(happens_at, timezone)}" if happens_at else new
    ends = entry.expires_at and expires_with(entry.expires_at, old=old, new=dated, timezone=timezone)
    values = {
        "content": operation.content,
        "subject": subject_of(operation, entry),
        "type": operation.type or entry.type,
        "importance": entry.importance if operation.importance is None else operation.importance,
        "confidence": entry.confidence if operation.confidence is None else operation.confidence,
        "happens_at": happens_at,
        "expires_at": _ahead(operation.expires_at, said_at) or (None if "expires_at" in cleared else ends),
        "source_message_ids": entry.citing(cited_ids(given, operation)),
    }
    if operation.messages:  # otherwise it only rephrases what was told before
        tags, category, modality = labels_of(given, operation)
        values["effective_at"] = said_at
        values["tags"] = dict(list((entry.tags | tags).items())[-MAX_TAGS:])
        values["category"], values["modality"] = category or entry.category, modality
    return values


def changes_nothing(entry: ScratchpadEntry, values: Mapping[str, Any]) -> bool:
    """Return whether an update with these values would change nothing that is shown anywhere."""
    shown = ("content", "subject", "type", "importance", "happens_at", "expires_at")
    return all(values[name] == getattr(entry, name) for name in shown)


def _ahead(expires_at: datetime | None, said_at: datetime) -> datetime | None:
    """Ignore an expiry before the entry was said, which is a misunderstanding."""
    return expires_at if expires_at is not None and expires_at > said_at else None
