"""All versions of a relationship's summaries; editing one, or having one made now."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse

from admin_ui.access import RelationshipAction
from admin_ui.paging import page_of
from admin_ui.params import multiline_param, parse_uuid
from admin_ui.words import sentence_of
from summaries.editing import edit_summary
from summaries.models import Summary, SummaryState
from summaries.owed import ask_for_summary
from summaries.snapshot import shown_summary
from web.errors import RapportError

VERSIONS_A_PAGE = 10


class SummariesView(RelationshipAction):
    tab = "summaries"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page()

    def post(self, request: HttpRequest) -> HttpResponse:
        """Have a worker summarise the whole conversation (`do=make`), or save an edited summary."""
        common: dict[str, Any] = {"relationship": self.relationship, "by": self.actor}
        summary_id = parse_uuid(request.POST.get("summary", ""))
        try:
            if request.POST.get("do") == "make":
                ask_for_summary(**common)
                return self.redirect_back("A worker is summarising the conversation.")
            text = multiline_param(request.POST, "text")
            edit_summary(**common, summary_id=summary_id or UUID(int=0), text=text)
        except RapportError as error:
            return self._page(why=sentence_of(error), edited=summary_id, status=409)
        return self.redirect_back("Saved as the next version.")

    def _page(self, **more: Any) -> HttpResponse:
        rows = Summary.objects.for_relationship(self.relationship.id).newest_first()
        page = page_of(self.request, rows, size=VERSIONS_A_PAGE)
        can_edit = self.access.can_edit
        return self.show(
            "summaries/list",
            page=page,
            # older versions can be edited, too; saving one is refused with an explanation
            rows=[(row, can_edit and row.state == SummaryState.READY) for row in page.rows],
            shown=shown_summary(self.relationship.id),
            count=self.relationship.message_count,
            **more,
        )
