"""Ingestion inputs without a database, for code that only reads them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from memory.ingestion.configuration import Ingestion
from memory.ingestion.ingestion_input import IngestionInput, InputMessage, Instructions, ShownEntry
from memory.ingestion.templates import default_instructions
from relationships.ids import uuid7
from relationships.models import Turn

MONDAY = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)


def shown(content: str, **fields: Any) -> ShownEntry:
    values: dict[str, Any] = {
        "id": uuid7(),
        "version": 1,
        "type": "other",
        "subject": "user",
        "content": content,
        "key": None,
        "effective_at": MONDAY - timedelta(days=1),
        "pinned": False,
        "read_only": False,
        **fields,
    }
    return ShownEntry(**values)


def ingestion_input(
    *texts: str,
    entries: Sequence[ShownEntry] = (),
    references: Sequence[str] = (),
    timezone: str = "UTC",
    hidden_entries: int = 0,
    entry_tokens: int = 0,
    at: Sequence[datetime] = (),
    user_name: str = "Maya",
    **ingestion: Any,
) -> IngestionInput:
    """An input of one turn with these user messages."""
    turn = Turn(relationship_id=uuid7(), project_id=uuid7(), seq=1, occurred_at=MONDAY)

    def message(text: str, said_at: datetime) -> InputMessage:
        return InputMessage(uuid7(), turn.id, "user", user_name, text, said_at)

    times = [*at, *[MONDAY] * (len(texts) - len(at))]
    return IngestionInput(
        relationship_id=turn.relationship_id,
        project_id=turn.project_id,
        timezone=timezone,
        user_name=user_name,
        companion_name="Ada",
        ingestion=Ingestion(**ingestion),
        instructions=Instructions(None, default_instructions()),
        turns=(turn,),
        entries=tuple(entries),
        hidden_entries=hidden_entries,
        entry_tokens=entry_tokens,
        messages=tuple(message(text, said_at) for text, said_at in zip(texts, times, strict=True)),
        references=tuple(message(text, MONDAY) for text in references),
    )
