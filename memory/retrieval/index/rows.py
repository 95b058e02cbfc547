"""Make SearchText rows. Pure: entries and messages in, columns out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import orjson

from memory.entries.happens import spelt_out
from memory.fence import cut_fenced
from memory.models import EntryState, ScratchpadEntry, SearchedKind
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.text import text_hash, words_for_index
from relationships.ids import uuid7
from relationships.models import Message, Turn, TurnState

# A turn `t` is off the record if remembering was paused, or if its own configuration turns reading off. What a
# companion does not read (ingestion.enabled, ingestion.roles) is on record all the same.
OFF_THE_RECORD = """t.state = 'skipped'
       AND (t.error_code = 'paused' OR t.config -> 'ingestion' -> 'enabled' = 'false'::jsonb)"""


def is_off_the_record(turn: Turn) -> bool:
    """The same as OFF_THE_RECORD, in Python."""
    own = turn.config.get("ingestion") or {}
    return turn.state == TurnState.SKIPPED and (turn.error_code == "paused" or own.get("enabled") is False)


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One text to be indexed; the fields are columns of the statement in write.py, in its order."""

    id: UUID
    owner_id: UUID
    place: int
    session: str
    role: str
    speaker: str
    state: str
    told_at: datetime
    words: str
    text_hash: bytes
    owes: bool  # a vector


def entry_row(entry: ScratchpadEntry, retrieval: Retrieval) -> IndexRow:
    """An entry's row. A deleted entry can still be found by filter, but its text is not embedded."""
    return IndexRow(
        id=uuid7(),
        owner_id=entry.id,
        place=0,
        session="",
        role="",
        speaker=entry.subject,
        state=str(entry.state),  # the driver would write an enum's name
        told_at=entry.effective_at,
        words=entry_words(entry.content, entry.happens_at),
        text_hash=text_hash(entry.content),
        owes=owes_vector(SearchedKind.ENTRY, retrieval, state=entry.state),
    )


def entry_words(content: str, happens_at: str | None) -> str:
    """The words by which an entry is found: its text, and when it happens, if the text doesn't say so."""
    date = spelt_out(happens_at) if happens_at else ""
    said = content.casefold().split()
    return words_for_index(
        " ".join([content, *(word for word in date.split() if word.casefold() not in said)])
    )


def message_row(message: Message, retrieval: Retrieval, *, off_the_record: bool) -> IndexRow:
    """A message's row, without memory that was injected into the message. Off the record it is found by no search."""
    said = spoken(message.content)
    return IndexRow(
        id=uuid7(),
        owner_id=message.id,
        place=message.seq,
        session=message.session,
        role=str(message.role),
        speaker=message.speaker,
        state=TurnState.SKIPPED.value if off_the_record else EntryState.ACTIVE.value,
        told_at=message.occurred_at,
        words=words_for_index(said),
        text_hash=text_hash(said),
        owes=owes_vector(SearchedKind.MESSAGE, retrieval) and bool(said) and not off_the_record,
    )


def spoken(content: str) -> str:
    """The part of a message that its speaker said; "" if there is none."""
    said, _ = cut_fenced(content)
    return said if said.strip() else ""


def owes_vector(kind: SearchedKind, retrieval: Retrieval, *, state: str = EntryState.ACTIVE) -> bool:
    return kind.value in owing_kinds(retrieval) and state != EntryState.DELETED


def owing_kinds(retrieval: Retrieval) -> list[str]:
    """The kinds of texts that should have vectors."""
    if retrieval.embedder is None:
        return []
    return [SearchedKind.ENTRY.value, *([SearchedKind.MESSAGE.value] if retrieval.embed_messages else [])]


def rows_json(rows: Sequence[IndexRow]) -> str:
    """The rows as JSON for the statement: a list of objects by column."""
    return orjson.dumps(rows, default=_plain).decode()


def _plain(value: bytes) -> str:
    return f"\\x{value.hex()}"
