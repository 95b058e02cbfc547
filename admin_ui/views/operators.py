"""Who may work in this project, and in which role; how one who is invited joins."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy

from admin_ui.access import OperatorView
from admin_ui.invitations import JoinForm, invitation_link, tokens
from admin_ui.paging import page_of
from admin_ui.params import text_param
from admin_ui.sorting import Sort
from admin_ui.words import sentence_of
from relationships.models import Membership, Operator, Role
from relationships.services.memberships import add_member, change_role, remove_member
from web.errors import Conflict, RapportError

SAYS = {
    Role.VIEWER: "can view everything",
    Role.EDITOR: "can edit memory and companions",
    Role.OWNER: "full access, with keys, operators and erasing",
}

SORT = Sort(
    {"email": ("operator__email",), "role": ("role", "operator__email"), "added": ("created_at", "id")},
    usual="email",
)


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
                by=self.access.actor,
            )
        except RapportError as error:
            return self._page(request, why=sentence_of(error), email=email, status=422)
        if not member.operator.has_usable_password():
            return self._page(request, invited=email, link=invitation_link(request, member.operator))
        messages.success(request, f"{member.operator.email} was added.")
        return redirect("admin_ui:operators")

    def _page(self, request: HttpRequest, *, status: int = 200, **more: Any) -> HttpResponse:
        rows = Membership.objects.filter(project_id=self.access.project.id).select_related("operator")
        page = page_of(request, rows, sort=SORT)
        ctx = {"page": page, "roles": [(str(role), says) for role, says in SAYS.items()]}
        ctx |= {"days": settings.PASSWORD_RESET_TIMEOUT // 86400, **more}
        return render(request, "admin_ui/operators/list.html", ctx, status=status)


class OperatorRoleView(OperatorView):
    needs_to_write = Role.OWNER

    def post(self, request: HttpRequest, membership_id: UUID) -> HttpResponse:
        """Another role, or none: then they are out."""
        role, project_id = request.POST.get("role", ""), self.access.project.id
        if role == "none":
            remove_member(project_id=project_id, membership_id=membership_id, by=self.access.actor)
            messages.success(request, "Operator removed.")
        else:
            member = change_role(
                project_id=project_id, membership_id=membership_id, role=role, by=self.access.actor
            )
            messages.success(request, f"{member.operator.email} is now {member.role}.")
        return redirect("admin_ui:operators")


class InvitationView(PasswordResetConfirmView):
    """Opened by the link alone: the invited choose a name and a password, and are signed in."""

    template_name = "admin_ui/operators/invitation.html"
    form_class = JoinForm
    token_generator = tokens
    post_reset_login = True
    post_reset_login_backend = "django.contrib.auth.backends.ModelBackend"
    success_url = reverse_lazy("admin_ui:overview")

    def get_user(self, uidb64: str) -> Operator | None:
        """Whom the link is for; None once they have joined."""
        operator = super().get_user(uidb64)
        return operator if isinstance(operator, Operator) and not operator.has_usable_password() else None

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            return super().form_valid(form)
        except Conflict:
            return self.render_to_response(self.get_context_data(form=None, validlink=False))
