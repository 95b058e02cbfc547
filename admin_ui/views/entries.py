"""One entry: where it came from, every change of it, and the way back to any of them."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from admin_ui.revision_history import quotations_of, revision_history
from admin_ui.views.scratchpad import EntryAction, RelationshipPart, entry_of
from memory.entries.editing import delete_entry, restore_entry, revise_entry
from memory.entries.held import confirm_deletions, decline_deletions
from memory.entries.limits import EDITABLE
from memory.entries.time_travel import entry_of as past_entry
from memory.models import EntryRevision, EntryState, ScratchpadEntry
from web.errors import NotFound


class EntryHistoryView(RelationshipPart):
    def get(self, request: HttpRequest, relationship_id: UUID, entry_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        entry = entry_of(relationship_id, entry_id)
        ctx: dict[str, Any] = {
            **self.ctx_of(relationship),
            "entry": entry,
            "steps": revision_history(entry),
            "quotations": quotations_of(entry),
        }
        return render(request, "admin_ui/entries/detail.html", ctx)


class EntryUndoView(EntryAction):
    """Make an entry what it was before one of its revisions, as a change of its own: gone, if it was not there yet."""

    def post(self, request: HttpRequest, relationship_id: UUID, entry_id: UUID, seq: int) -> HttpResponse:
        self.get_relationship(relationship_id)
        entry = entry_of(relationship_id, entry_id)
        revision: EntryRevision | None = (
            EntryRevision.objects.for_relationship(relationship_id).filter(entry_id=entry_id, seq=seq).first()
        )
        if revision is None or not (revision.before or revision.after):
            raise NotFound("There is nothing to undo.")
        if (revision.before or {}).get("state") == EntryState.ACTIVE:
            self._bring_back(entry, revision)
            return self.back(request, relationship_id, "Entry restored.")
        delete_entry(
            relationship_id=relationship_id,
            entry_id=entry_id,
            by=self.access.actor,
            reason=_undo_of(revision),
        )
        undo = reverse("admin_ui:relationship_restore_entry", args=[relationship_id, entry_id])
        return self.back(
            request, relationship_id, "Entry deleted: it did not exist before that change.", undo=undo
        )

    @transaction.atomic
    def _bring_back(self, entry: ScratchpadEntry, revision: EntryRevision) -> None:
        what: dict[str, Any] = {
            "relationship_id": entry.relationship_id,
            "entry_id": entry.id,
            "by": self.access.actor,
            "reason": _undo_of(revision),
        }
        if entry.state != EntryState.ACTIVE:
            restore_entry(**what)
        revise_entry(**what, values=_values_before(revision))


class DecideHeldView(EntryAction):
    """Delete what the model wanted to delete too much of at once, or keep it."""

    def post(self, request: HttpRequest, relationship_id: UUID, held_id: UUID) -> HttpResponse:
        self.get_relationship(relationship_id)
        if request.POST.get("decision") != "confirm":
            decline_deletions(relationship_id=relationship_id, held_id=held_id, by=self.access.actor)
            return self.back(request, relationship_id, "Kept. Nothing was deleted.")
        _, left_alone = confirm_deletions(
            relationship_id=relationship_id, held_id=held_id, by=self.access.actor
        )
        said = f"Deleted, except {len(left_alone)} changed in the meantime." if left_alone else "Deleted."
        return self.back(request, relationship_id, said)


def _undo_of(revision: EntryRevision) -> str:
    return f"undo of change {revision.seq}"


def _values_before(revision: EntryRevision) -> dict[str, Any]:
    """What may be set of the entry as it was before a step."""
    fields: dict[str, Any] = revision.before or {}
    past = past_entry(fields, revision.relationship_id, revision.project_id)
    return {name: getattr(past, name) for name in EDITABLE if name in fields}
