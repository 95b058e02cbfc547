"""An entry's history with its source messages, undoing a change, and decisions about held deletions."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from admin_ui.access import OperatorView, RelationshipAction
from admin_ui.params import pretty_json, version_param
from admin_ui.revision_history import MOST_CITED, quotations_of, revision_history
from admin_ui.views.scratchpad import entry_of
from memory.entries.editing import delete_entry, revise_entry
from memory.entries.held_deletions import confirm_deletions, decline_deletions
from memory.entries.limits import EDITABLE
from memory.entries.restoring import restore_entry
from memory.entries.time_travel import entry_of as past_entry
from memory.models import EntryRevision, EntryState
from web.errors import NotFound


class EntryHistoryView(OperatorView):
    def get(self, request: HttpRequest, entry_id: UUID) -> HttpResponse:
        entry = entry_of(self.relationship.id, entry_id)
        return self.show(
            "entries/detail",
            entry=entry,
            metadata=entry.metadata and pretty_json(entry.metadata),
            page=revision_history(entry, request),
            quotations=quotations_of(entry),
            more_cited=len(entry.source_message_ids[:-MOST_CITED]),
        )


class EntryUndoView(RelationshipAction):
    """Restores an entry to what it was before a revision; deletes it if it did not exist then. Adds a revision."""

    def post(self, request: HttpRequest, entry_id: UUID, seq: int) -> HttpResponse:
        entry = entry_of(self.relationship.id, entry_id)
        revisions = EntryRevision.objects.for_relationship(self.relationship.id)
        revision: EntryRevision | None = revisions.filter(entry_id=entry_id, seq=seq).first()
        if revision is None or not (revision.before or revision.after):
            raise NotFound("There is nothing to undo.")
        change: dict[str, Any] = {
            "relationship_id": self.relationship.id,
            "entry_id": entry_id,
            "by": self.actor,
            "reason": f"undo of change {seq}",
        }
        version = version_param(request.POST)
        if (revision.before or {}).get("state") == EntryState.ACTIVE:
            with transaction.atomic():
                if entry.state != EntryState.ACTIVE:
                    version = restore_entry(**change, version=version).version
                revise_entry(**change, values=_values_before(revision), version=version)
            return self.redirect_back("Entry restored.")
        delete_entry(**change, version=version)
        undo = reverse("admin_ui:relationship_restore_entry", args=[self.relationship.id, entry_id])
        return self.redirect_back("Entry deleted: it did not exist before that change.", undo=undo)


class DecideHeldView(RelationshipAction):
    """Confirms or declines a held deletion."""

    def post(self, request: HttpRequest, held_id: UUID) -> HttpResponse:
        held: dict[str, Any] = {"relationship_id": self.relationship.id, "held_id": held_id, "by": self.actor}
        decision = request.POST.get("decision")
        if decision != "confirm":
            decline_deletions(**held)
            return self.redirect_back(
                "Review closed." if decision == "close" else "Kept. Nothing was deleted."
            )
        _, left_alone = confirm_deletions(**held)
        if left_alone:
            return self.redirect_back(f"Deleted, except {len(left_alone)} changed in the meantime.")
        return self.redirect_back("Deleted.")


def _values_before(revision: EntryRevision) -> dict[str, Any]:
    """Return the editable fields of the entry before a revision."""
    fields: dict[str, Any] = revision.before or {}
    past = past_entry(fields, revision.relationship_id, revision.project_id)
    return {name: getattr(past, name) for name in EDITABLE if name in fields}
