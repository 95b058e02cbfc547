"""Exporting a relationship, and erasing it or the person."""

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
    """Shows how much would be erased. To confirm, an owner types the person's name."""

    tab = "data"
    needs_to_write = Role.OWNER

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page("relationship")

    def post(self, request: HttpRequest) -> HttpResponse:
        scope = request.POST.get("what", "")
        if scope not in SCOPES:
            return self._page(scope, status=422)
        if typable(request.POST.get("confirm", "")) != self._name:
            return self._page(scope, wrong_name=True, status=422)
        owner: dict[str, Any] = {"project_id": self.project_id, "by": self.actor}
        if scope == "person":
            erase_user(**owner, user_id=self.relationship.user_id)
            return self.redirect_with_message(
                "The person and all data about them were erased.", "admin_ui:relationships"
            )
        erase_relationship(**owner, relationship_id=self.relationship.id)
        return self.redirect_with_message("The relationship was erased.", "admin_ui:relationships")

    @property
    def _name(self) -> str:
        """The name to type, without characters that can't be typed; the user's ID if nothing is left."""
        return typable(str(self.relationship.user)) or str(self.relationship.user_id)

    def _page(self, scope: str, *, wrong_name: bool = False, status: int = 200) -> HttpResponse:
        counts = {}
        if self.access.is_owner:
            relationship = Relationship.objects.of_project(self.project_id).filter(id=self.relationship.id)
            counts = {
                "relationship": counts_in_words(count_relationships(relationship)),
                "person": counts_in_words(count_user(self.relationship.user)),
            }
        ctx = {"scope": scope, "no_scope": scope not in SCOPES, "wrong_name": wrong_name, "counts": counts}
        return self.show("data/detail", name=self._name, status=status, **ctx)


class ExportView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponseBase:
        relationship_id = self.relationship.id
        return StreamingHttpResponse(
            export_relationship(relationship_id=relationship_id, calls=bool(request.GET.get("calls"))),
            content_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="relationship-{relationship_id}.json"'},
        )
