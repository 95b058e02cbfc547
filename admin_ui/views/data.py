"""Taking everything along, and erasing it for good."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render

from admin_ui.views.scratchpad import RelationshipPart
from memory.models import EntryRevision, ModelCall, ScratchpadEntry
from memory.services.erasure import erase_relationship, erase_user
from memory.services.exporting import export_relationship
from relationships.models import EndUser, Message, Relationship, Role, Turn


class DataView(RelationshipPart):
    """Only an owner may erase. What goes is counted first, and the person's name has to be typed."""

    tab = "data"
    needs_to_write = Role.OWNER

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        return self._page(request, self.get_relationship(relationship_id))

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        if request.POST.get("confirm", "").strip() != _name_of(relationship.user):
            return self._page(request, relationship, wrong=True, status=422)
        if request.POST.get("what") == "person":
            erase_user(project_id=self.seat.project.id, user_id=relationship.user_id, by=self.seat.actor)
            said = "The person and everything remembered of them are gone."
        else:
            erase_relationship(
                project_id=self.seat.project.id, relationship_id=relationship_id, by=self.seat.actor
            )
            said = "The relationship is gone."
        messages.success(request, said)
        return redirect("admin_ui:relationships")

    def _page(
        self, request: HttpRequest, relationship: Relationship, *, wrong: bool = False, status: int = 200
    ) -> HttpResponse:
        ctx: dict[str, Any] = {
            **self.ctx_of(relationship),
            "name": _name_of(relationship.user),
            "wrong": wrong,
            "counts": [
                (label, model.objects.for_relationship(relationship.id).count())
                for label, model in (
                    ("turns", Turn),
                    ("messages", Message),
                    ("entries", ScratchpadEntry),
                    ("changes in the history", EntryRevision),
                    ("questions to models", ModelCall),
                )
            ],
            "others": Relationship.objects.filter(user_id=relationship.user_id).count() - 1,
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
    return " ".join(str(user).split())
