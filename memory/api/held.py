from collections.abc import Sequence
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.answers import DecidedAnswer, HeldAnswer, present_held
from memory.entries.held_deletions import confirm_deletions, decline_deletions, deletions_of
from memory.models import HeldDeletion, ScratchpadEntry
from relationships.api.views import ApiView
from web.fields import Page, PageQuery
from web.operations import operation
from web.pagination import page_of

TAG = "Held deletions"


class HeldDeletionsView(ApiView):
    @operation(
        "held_deletions_list",
        "List held deletions: too many at once, so a person decides",
        answers={200: Page[HeldAnswer]},
    )
    def get(self, request: Request, relationship_id: UUID, query: PageQuery) -> Response:
        rows = self.owned(HeldDeletion, relationship_id)
        page = page_of(rows, order=["-recorded_at", "-id"], page=query)
        page["items"] = _present(relationship_id, page["items"])
        return self.answer(page)


class ConfirmHeldView(ApiView):
    @operation(
        "held_deletions_confirm", "Delete what was held", answers={200: DecidedAnswer}, problems=(409,)
    )
    def post(self, request: Request, relationship_id: UUID, held_id: UUID) -> Response:
        """Each deletion can be undone by restoring its entry. Entries that changed since are left alone."""
        self.get_relationship(relationship_id)
        held, left = confirm_deletions(relationship_id=relationship_id, held_id=held_id, by=self.actor)
        [shown] = _present(relationship_id, [held])
        return self.answer({**shown, "left_alone": left})


class DeclineHeldView(ApiView):
    @operation("held_deletions_decline", "Keep the entries", answers={200: HeldAnswer}, problems=(409,))
    def post(self, request: Request, relationship_id: UUID, held_id: UUID) -> Response:
        self.get_relationship(relationship_id)
        held = decline_deletions(relationship_id=relationship_id, held_id=held_id, by=self.actor)
        return self.answer(_present(relationship_id, [held])[0])


def _present(relationship_id: UUID, held: Sequence[HeldDeletion]) -> list[dict[str, Any]]:
    """Present held deletions with their entries. Two statements for all."""
    deletions = deletions_of(relationship_id, [one.id for one in held])
    ids = {item.entry_id for items in deletions.values() for item in items}
    rows = ScratchpadEntry.objects.for_relationship(relationship_id).filter(id__in=ids)
    entries: dict[UUID | None, ScratchpadEntry] = {entry.id: entry for entry in rows}
    return [present_held(one, deletions[one.id], entries) for one in held]
