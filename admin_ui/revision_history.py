"""An entry's history from its revisions, and the messages it was made from."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.utils.formats import date_format

from admin_ui.paging import Page, page_of
from admin_ui.templatetags.formatting import spelled_dates
from admin_ui.word_diff import Piece, word_diff
from memory.models import EntryRevision, EntryState, RevisionEvent, ScratchpadEntry
from relationships.models import Message
from web.errors import shorten

# Labels of the fields whose changes are shown.
FIELDS = {
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
    "tags": "tags",
    "category": "category",
    "modality": "modality",
    "metadata": "metadata",
    "happens_at": "happens",
    "valid_from": "valid from",
    "valid_to": "valid to",
    "expires_at": "expires",
}
MOST_METADATA = 500  # characters of each side of a change
MOST_CITED = 50  # messages that are shown
TIMES = ("valid_from", "valid_to", "expires_at")


@dataclass(frozen=True, slots=True)
class Step:
    """A revision for display. `text`: the difference of the contents; `fields`: (label, before, after)."""

    revision: EntryRevision
    text: Sequence[Piece]
    fields: Sequence[tuple[str, str, str]]
    can_undo: bool


def revision_history(entry: ScratchpadEntry, request: HttpRequest) -> Page:
    """Return a page of the entry's revisions, newest first, as steps."""
    revisions = EntryRevision.objects.for_relationship(entry.relationship_id).filter(entry_id=entry.id)
    page = page_of(request, revisions.order_by("-seq"))
    return replace(page, rows=[_step(revision, entry) for revision in page.rows])


def quotations_of(entry: ScratchpadEntry) -> list[tuple[UUID, list[tuple[Message, bool]]]]:
    """Return the last MOST_CITED messages that the entry cites and their neighbours in the turn, as a "yes" needs its
    question.

    Each turn's ID comes with its messages and whether they are cited. At most two statements.
    """
    owned = Message.objects.for_relationship(entry.relationship_id)
    cited = set(entry.source_message_ids[-MOST_CITED:])
    turns = list(owned.filter(id__in=cited).values_list("turn_id", flat=True)) if cited else []
    by_turn: dict[UUID, list[Message]] = {}
    for message in owned.filter(turn_id__in=set(turns)).order_by("seq") if turns else ():
        by_turn.setdefault(message.turn_id, []).append(message)
    return [(turn_id, _near_cited(messages, cited)) for turn_id, messages in by_turn.items()]


def _near_cited(messages: Sequence[Message], cited: set[UUID]) -> list[tuple[Message, bool]]:
    at = {place for place, message in enumerate(messages) if message.id in cited}
    near = {place + step for place in at for step in (-1, 0, 1)}
    return [(message, place in at) for place, message in enumerate(messages) if place in near]


def _step(revision: EntryRevision, entry: ScratchpadEntry) -> Step:
    before: Mapping[str, Any] = revision.before or {}
    after: Mapping[str, Any] = revision.after or {}
    fields = [
        (label, _in_words(name, before.get(name)), _in_words(name, after.get(name)))
        for name, label in FIELDS.items()
        if before and after and before.get(name) != after.get(name)
    ]
    text = word_diff(before.get("content", ""), after.get("content", "")) if before or after else []
    changed = revision.event != RevisionEvent.NONE and revision.redacted_at is None and before != after
    was_active = before.get("state") == EntryState.ACTIVE
    return Step(revision, text, fields, changed and (was_active or entry.state == EntryState.ACTIVE))


def _in_words(name: str, value: Any) -> str:
    if value in (None, "", {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "tags":
        return ", ".join(f"{tag}: {said}" for tag, said in value.items())
    if name == "metadata":
        return shorten(json.dumps(value, ensure_ascii=False), MOST_METADATA)
    if name == "happens_at":
        return spelled_dates(value)
    if name not in TIMES:
        return str(value)
    return date_format(datetime.fromisoformat(value).astimezone(UTC), "j M Y, H:i")
