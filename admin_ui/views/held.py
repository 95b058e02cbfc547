"""Deletions that were too many at once, and wait for a person's word."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse

from admin_ui.views.scratchpad import EntryAction
from memory.services.held import confirm_deletions, decline_deletions


class DecideHeldView(EntryAction):
    def post(self, request: HttpRequest, relationship_id: UUID, held_id: UUID) -> HttpResponse:
        self.get_relationship(relationship_id)
        if request.POST.get("decision") != "confirm":
            decline_deletions(relationship_id=relationship_id, held_id=held_id, by=self.seat.actor)
            return self.back(request, relationship_id, "Kept: nothing was deleted.")
        _, left_alone = confirm_deletions(
            relationship_id=relationship_id, held_id=held_id, by=self.seat.actor
        )
        said = f"Deleted; {len(left_alone)} that changed meanwhile stay." if left_alone else "Deleted."
        return self.back(request, relationship_id, said)
