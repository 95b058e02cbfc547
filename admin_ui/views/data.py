"""Taking everything along, and erasing it for good."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from admin_ui.access import OperatorView
from admin_ui.names import typable
from admin_ui.words import counts_in_words
from relationships.models import Relationship, Role
from upkeep.erasure.relationships import count_relationships, count_user, erase_relationship, erase_user
from upkeep.exporting import export_relationship

SCOPES = ("relationship", "person")


class DataView(OperatorView):
    """Only an owner may erase. What goes is counted first, and the person's name has to be typed."""

    tab = "data"
    needs_to_write = Role.OWNER

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page("relationship")

    def post(self, request: HttpRequest) -> HttpResponse:
        what = request.POST.get("what", "")
        if what not in SCOPES:
            return self._page(what, status=422)
        if typable(request.POST.get("confirm", "")) != self._name:
            return self._page(what, wrong=True, status=422)
        owner: dict[str, Any] = {"project_id": self.project_id, "by": self.actor}
        if what == "person":
            erase_user(**owner, user_id=self.relationship.user_id)
            return self.done("The person and all data about them were erased.", "admin_ui:relationships")
        erase_relationship(**owner, relationship_id=self.relationship.id)
        return self.done("The relationship was erased.", "admin_ui:relationships")

    @property
    def _name(self) -> str:
        """What has to be typed: as the page shows it, without what can't be typed."""
        return typable(str(self.relationship.user)) or str(self.relationship.user_id)

    def _page(self, what: str, *, wrong: bool = False, status: int = 200) -> HttpResponse:
        """`what`: the choice that is ticked. `wrong`: another name was typed."""
        goes = {}
        if self.access.is_owner:
            alone = Relationship.objects.of_project(self.project_id).filter(id=self.relationship.id)
            goes = {
                "relationship": counts_in_words(count_relationships(alone)),
                "person": counts_in_words(count_user(self.relationship.user)),
            }
        unsaid = what not in SCOPES
        return self.show(
            "data/detail", name=self._name, what=what, unsaid=unsaid, wrong=wrong, goes=goes, status=status
        )


class ExportView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponseBase:
        wanted = self.relationship.id
        return StreamingHttpResponse(
            export_relationship(relationship_id=wanted, calls=bool(request.GET.get("calls"))),
            content_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="relationship-{wanted}.json"'},
        )
