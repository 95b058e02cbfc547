"""What an operation makes of an entry: a new row, or other words on one that is there. Nothing is judged here."""

from datetime import datetime

from memory.ingestion.operations import Operation
from memory.ingestion.workbench import Workbench, subject_of
from memory.models import EntrySource, ScratchpadEntry
from memory.services.fingerprint import content_hash
from relationships.ids import uuid7


def is_single_valued(bench: Workbench, operation: Operation) -> bool:
    """Whether a new value of the operation's key supersedes the old: its strategy says so, or the configuration."""
    if operation.single_valued is not None:
        return operation.single_valued and operation.key is not None
    return operation.key in bench.reading.ingestion.single_valued


def says_the_same(entry: ScratchpadEntry, operation: Operation, said_at: datetime) -> bool:
    """Whether the update would change nothing that a reader or a layer sees. The key is no part of an update."""
    return (
        entry.content == operation.content
        and entry.subject == subject_of(operation, entry)
        and operation.type in ("", entry.type)
        and operation.importance in (None, entry.importance)
        and operation.happens_at in (None, entry.happens_at)
        and _ahead(operation.expires_at, said_at) in (None, entry.expires_at)
    )


def new_entry(bench: Workbench, operation: Operation, subject: str, *, said_at: datetime) -> ScratchpadEntry:
    return ScratchpadEntry(
        relationship_id=bench.reading.relationship_id,
        project_id=bench.reading.project_id,
        id=uuid7(),
        type=operation.type,
        subject=subject,
        content=operation.content,
        content_hash=content_hash(operation.content),
        key=operation.key,
        importance=operation.importance if operation.importance is not None else 0.5,
        confidence=operation.confidence if operation.confidence is not None else 1.0,
        source=EntrySource.TURN,
        source_message_ids=bench.cited_ids(operation),
        recorded_at=bench.now,
        effective_at=said_at,
        happens_at=operation.happens_at,
        expires_at=_ahead(operation.expires_at, said_at),
        valid_from=operation.valid_from,
    )


def rewrite(bench: Workbench, entry: ScratchpadEntry, operation: Operation, said_at: datetime) -> None:
    entry.content = operation.content
    entry.content_hash = content_hash(operation.content)
    entry.subject = subject_of(operation, entry)
    entry.type = operation.type or entry.type
    if operation.importance is not None:
        entry.importance = operation.importance
    if operation.confidence is not None:
        entry.confidence = operation.confidence
    entry.happens_at = operation.happens_at or entry.happens_at
    entry.expires_at = _ahead(operation.expires_at, said_at) or entry.expires_at
    entry.effective_at = said_at
    entry.source_message_ids = list(dict.fromkeys([*entry.source_message_ids, *bench.cited_ids(operation)]))


def _ahead(expires_at: datetime | None, said_at: datetime) -> datetime | None:
    """An entry that would be over before it was said is a misunderstanding: keep it."""
    return expires_at if expires_at is not None and expires_at > said_at else None
