"""Who may work in this project, and as what."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from admin_ui.access import OperatorView
from admin_ui.paging import page_of
from admin_ui.params import text_param
from relationships.models import Membership, Role
from relationships.services.memberships import add_member, change_role, remove_member
from web.errors import RapportError

SAYS = {
    Role.VIEWER: "can view everything",
    Role.EDITOR: "can edit memory and companions",
    Role.OWNER: "full access, with keys, operators and erasing",
}


class OperatorsView(OperatorView):
    needs_to_write = Role.OWNER

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(request)

    def post(self, request: HttpRequest) -> HttpResponse:
        email = text_param(request.POST, "email")
        try:
            member = add_member(
                project=self.access.project,
                email=email,
                role=request.POST.get("role", ""),
                password=request.POST.get("password", ""),
                by=self.access.actor,
            )
        except RapportError as error:
            return self._page(request, why=error.detail, email=email, status=422)
        messages.success(request, f"{member.operator.email} was added.")
        return redirect("admin_ui:operators")

    def _page(self, request: HttpRequest, *, status: int = 200, **more: Any) -> HttpResponse:
        rows = Membership.objects.filter(project_id=self.access.project.id).select_related("operator")
        page = page_of(request, rows.order_by("operator__email"))
        ctx = {"page": page, "roles": [(str(role), says) for role, says in SAYS.items()], **more}
        return render(request, "admin_ui/operators/list.html", ctx, status=status)


class OperatorRoleView(OperatorView):
    needs_to_write = Role.OWNER

    def post(self, request: HttpRequest, membership_id: UUID) -> HttpResponse:
        """Another role, or none: then they are out."""
        role, project_id = request.POST.get("role", ""), self.access.project.id
        if role == "none":
            remove_member(project_id=project_id, membership_id=membership_id, by=self.access.actor)
            messages.success(request, "Operator removed. Their account still exists.")
        else:
            member = change_role(
                project_id=project_id, membership_id=membership_id, role=role, by=self.access.actor
            )
            messages.success(request, f"{member.operator.email} is now {member.role}.")
        return redirect("admin_ui:operators")
