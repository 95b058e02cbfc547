"""Taking everything along, and erasing it for good."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render

from admin_ui.erasing import counts_in_words
from admin_ui.names import typable
from admin_ui.views.scratchpad import RelationshipPart
from relationships.models import EndUser, Relationship, Role
from upkeep.erasure import (
    count_relationships,
    count_user,
    erase_relationship,
    erase_user,
)
from upkeep.exporting import export_relationship

SCOPES = ("relationship", "person")


class DataView(RelationshipPart):
    """Only an owner may erase. What goes is counted first, and the person's name has to be typed."""

    tab = "data"
    needs_to_write = Role.OWNER

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        return self._page(request, self.get_relationship(relationship_id))

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        what = request.POST.get("what", "")
        if what not in SCOPES:
            return self._page(request, relationship, what=what, status=422)
        if typable(request.POST.get("confirm", "")) != _name_of(relationship.user):
            return self._page(request, relationship, what=what, wrong=True, status=422)
        if what == "person":
            erase_user(project_id=self.access.project.id, user_id=relationship.user_id, by=self.access.actor)
            said = "The person and all data about them were erased."
        else:
            erase_relationship(
                project_id=self.access.project.id, relationship_id=relationship_id, by=self.access.actor
            )
            said = "The relationship was erased."
        messages.success(request, said)
        return redirect("admin_ui:relationships")

    def _page(
        self,
        request: HttpRequest,
        relationship: Relationship,
        *,
        what: str = "relationship",
        wrong: bool = False,
        status: int = 200,
    ) -> HttpResponse:
        """`what`: the choice that is ticked. `wrong`: another name was typed."""
        ctx: dict[str, Any] = {
            **self.ctx_of(relationship),
            "name": _name_of(relationship.user),
            "what": what,
            "unsaid": what not in SCOPES,
            "wrong": wrong,
        }
        if self.access.is_owner:
            alone = Relationship.objects.of_project(relationship.project_id).filter(id=relationship.id)
            ctx["goes"] = {
                "relationship": counts_in_words(count_relationships(alone)),
                "person": counts_in_words(count_user(relationship.user)),
            }
        return render(request, "admin_ui/data/detail.html", ctx, status=status)


class ExportView(RelationshipPart):
    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponseBase:
        relationship = self.get_relationship(relationship_id)
        return StreamingHttpResponse(
            export_relationship(relationship_id=relationship.id, calls=bool(request.GET.get("calls"))),
            content_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="relationship-{relationship.id}.json"'},
        )


def _name_of(user: EndUser) -> str:
    """What has to be typed: as the page shows it, without what can't be typed."""
    return typable(str(user)) or str(user.id)
