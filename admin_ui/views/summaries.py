"""What the conversation came to: every version of its summaries, read, edited, and made now."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from admin_ui.paging import page_of
from admin_ui.params import parse_uuid
from admin_ui.views.scratchpad import EntryAction
from admin_ui.words import sentence_of
from relationships.models import Relationship
from summaries.editing import edit_summary
from summaries.models import Summary, SummaryState
from summaries.owed import ask_for_summary
from summaries.snapshot import shown_summary
from web.errors import RapportError

VERSIONS_A_PAGE = 10


class SummariesView(EntryAction):
    tab = "summaries"

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        return self._page(request, self.get_relationship(relationship_id))

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        """Make one of all there is by now, or write one anew."""
        relationship = self.get_relationship(relationship_id)
        by = self.access.actor
        try:
            if request.POST.get("do") == "make":
                ask_for_summary(relationship=relationship, by=by)
                return self.back(request, relationship_id, "A worker is summarising the conversation.")
            summary_id = parse_uuid(request.POST.get("summary", ""))
            text = request.POST.get("text", "").replace("\x00", "").replace("\r\n", "\n")
            edit_summary(relationship=relationship, summary_id=summary_id or UUID(int=0), text=text, by=by)
        except RapportError as error:
            return self._page(request, relationship, why=sentence_of(error), status=409)
        return self.back(request, relationship_id, "Saved as the next version.")

    def _page(
        self, request: HttpRequest, relationship: Relationship, *, why: str = "", status: int = 200
    ) -> HttpResponse:
        rows = Summary.objects.for_relationship(relationship.id).newest_first()
        page = page_of(request, rows, size=VERSIONS_A_PAGE)
        ctx: dict[str, Any] = {
            **self.ctx_of(relationship),
            "page": page,
            "rows": [(row, self._can_be_edited(row)) for row in page.rows],
            "shown": shown_summary(relationship.id),
            "count": relationship.message_count,
            "why": why,
            "edited": parse_uuid(request.POST.get("summary", "")) if why else None,
            "here": reverse("admin_ui:relationship_summaries", args=[relationship.id]),
        }
        return render(request, "admin_ui/summaries/list.html", ctx, status=status)

    def _can_be_edited(self, summary: Summary) -> bool:
        """Only the newest version of as many messages; who edits an older one is told so."""
        return self.access.can_edit and summary.state == SummaryState.READY
