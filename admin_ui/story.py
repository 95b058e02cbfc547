"""An entry's story, read from its revisions: what each step changed, who did it, and what it rested on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from admin_ui.word_diff import Piece, word_diff
from memory.models import EntryRevision, ScratchpadEntry
from relationships.models import Message

# What a revision's fields are called on the page; the others say nothing to a reader.
NAMED = {
    "type": "type",
    "tier": "tier",
    "state": "state",
    "subject": "about",
    "key": "key",
    "importance": "importance",
    "confidence": "confidence",
    "weight": "weight",
    "pinned": "pinned",
    "read_only": "read-only",
    "happens_at": "happens",
    "valid_from": "valid from",
    "valid_to": "valid to",
    "expires_at": "expires",
}


@dataclass(frozen=True, slots=True)
class FieldChange:
    name: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Step:
    """One revision as a reader sees it. `undoes`: whether the state before it can be brought back."""

    revision: EntryRevision
    text: Sequence[Piece]
    fields: Sequence[FieldChange]
    undoes: bool


def story_of(relationship_id: UUID, entry_id: UUID) -> list[Step]:
    """Newest first."""
    revisions = EntryRevision.objects.for_relationship(relationship_id).filter(entry_id=entry_id)
    return [_step(revision) for revision in revisions.order_by("-seq")]


def cited_messages(entry: ScratchpadEntry) -> list[Message]:
    """The messages the entry rests on, in their order."""
    owned = Message.objects.for_relationship(entry.relationship_id)
    return list(owned.filter(id__in=entry.source_message_ids).order_by("seq"))


def _step(revision: EntryRevision) -> Step:
    before: Mapping[str, Any] = revision.before or {}
    after: Mapping[str, Any] = revision.after or {}
    fields = [
        FieldChange(label, before.get(name), after.get(name))
        for name, label in NAMED.items()
        if before and after and before.get(name) != after.get(name)
    ]
    text = word_diff(before.get("content", ""), after.get("content", "")) if before or after else []
    undoes = bool(before and after and before != after and revision.redacted_at is None)
    return Step(revision, text, fields, undoes)
