"""One entry: where it came from, every change of it, and the way back to any of them."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from admin_ui.story import cited_messages, story_of
from admin_ui.views.scratchpad import EntryAction, RelationshipPart, entry_of
from memory.models import EntryRevision, EntryState
from memory.services.entries import EDITABLE, restore_entry, revise_entry
from memory.services.time_travel import entry_of as past_entry
from relationships.errors import Conflict, NotFound


class EntryStoryView(RelationshipPart):
    def get(self, request: HttpRequest, relationship_id: UUID, entry_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        entry = entry_of(relationship_id, entry_id)
        ctx: dict[str, Any] = {
            **self.ctx_of(relationship),
            "entry": entry,
            "steps": story_of(relationship_id, entry_id),
            "messages_cited": cited_messages(entry),
        }
        return render(request, "admin_ui/entries/detail.html", ctx)


class EntryUndoView(EntryAction):
    """Bring back what an entry was before one of its revisions, as a change of its own."""

    def post(self, request: HttpRequest, relationship_id: UUID, entry_id: UUID, seq: int) -> HttpResponse:
        self.get_relationship(relationship_id)
        entry = entry_of(relationship_id, entry_id)
        revision = (
            EntryRevision.objects.for_relationship(relationship_id).filter(entry_id=entry_id, seq=seq).first()
        )
        if revision is None or not revision.before:
            raise NotFound("There is nothing before this step.")
        reason = f"undo of step {seq}"
        if revision.before["state"] != EntryState.ACTIVE:
            raise Conflict("Before this step the entry was not active; delete it instead.")
        if entry.state != EntryState.ACTIVE:
            restore_entry(
                relationship_id=relationship_id, entry_id=entry_id, by=self.seat.actor, reason=reason
            )
        revise_entry(
            relationship_id=relationship_id,
            entry_id=entry_id,
            values=_values_before(revision),
            by=self.seat.actor,
            reason=reason,
        )
        return self.back(request, relationship_id, "Brought back.")


def _values_before(revision: EntryRevision) -> dict[str, Any]:
    """What may be set of the entry as it was before a step."""
    fields: dict[str, Any] = revision.before or {}
    past = past_entry(fields, revision.relationship_id, revision.project_id)
    return {name: getattr(past, name) for name in EDITABLE if name in fields}
