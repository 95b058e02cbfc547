"""A project's operators and their roles, and joining by an invitation."""

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.forms import SetPasswordForm, SetPasswordMixin
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views import View

from admin_ui.access import PROJECT_IN_SESSION, OperatorView
from admin_ui.paging import Sort, page_of
from admin_ui.params import text_param
from admin_ui.words import sentence_of
from relationships.models import Membership, Role
from relationships.services.memberships import accept_invitation, add_member, change_role, remove_member
from web.errors import Conflict, RapportError

_INVITATIONS = "admin_ui.invitations"  # the salt of their tokens
SAYS = {
    Role.VIEWER: "can view everything",
    Role.EDITOR: "can edit memory and companions",
    Role.OWNER: "full access, with keys, operators and erasing",
}

SORT = Sort(
    {"email": ("operator__email",), "role": ("role", "operator__email"), "added": ("created_at", "id")},
    default="email",
)


class OperatorsView(OperatorView):
    needs_to_write = Role.OWNER

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page()

    def post(self, request: HttpRequest) -> HttpResponse:
        email, role = text_param(request.POST, "email"), request.POST.get("role", "")
        try:
            member = add_member(project=self.access.project, email=email, role=role, by=self.actor)
        except RapportError as error:
            return self._page(why=sentence_of(error), email=email, role=role, status=422)
        return self._page(invited=member.operator.email, link=_invitation_link(request, member))

    def _page(self, **more: Any) -> HttpResponse:
        rows = Membership.objects.filter(project_id=self.project_id).select_related("operator")
        return self.show(
            "operators/list",
            page=page_of(self.request, rows, sort=SORT),
            roles=[(str(role), f"{role}: {says}") for role, says in SAYS.items()],
            days=settings.PASSWORD_RESET_TIMEOUT // 86400,
            **more,
        )


class OperatorRoleView(OperatorView):
    needs_to_write = Role.OWNER

    def post(self, request: HttpRequest, membership_id: UUID) -> HttpResponse:
        """Change the operator's role, or remove them from the project."""
        role = request.POST.get("role", "")
        which: dict[str, Any] = {
            "project_id": self.project_id,
            "membership_id": membership_id,
            "by": self.actor,
        }
        if role == "none":
            remove_member(**which)
            return self.redirect_with_message("Operator removed.", "admin_ui:operators")
        member = change_role(**which, role=role)
        return self.redirect_with_message(
            f"{member.operator.email} is now {member.role}.", "admin_ui:operators"
        )


def _invitation_link(request: HttpRequest, invited: Membership) -> str:
    """Return the absolute URL. Whoever has it can join, unless there is an account, so it is shown only once."""
    assert invited.invited_at is not None
    token = signing.dumps([str(invited.id), invited.invited_at.isoformat()], salt=_INVITATIONS)
    return request.build_absolute_uri(reverse("admin_ui:invitation", args=[token]))


def _invited(token: str) -> Membership | None:
    """Return what the link is for; None if it has expired, or the invitation was accepted, renewed or withdrawn."""
    try:
        invited, at = signing.loads(token, salt=_INVITATIONS, max_age=settings.PASSWORD_RESET_TIMEOUT)
    except signing.BadSignature:
        return None
    waiting = Membership.objects.select_related("operator", "project")
    return waiting.filter(id=invited, invited_at=at).first()


class JoinForm(SetPasswordForm):  # type: ignore[type-arg]
    name = forms.CharField(
        label="Name", max_length=150, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    new_password1, new_password2 = SetPasswordMixin.create_password_fields(
        label1="Password", label2="Repeat the password"
    )

    field_order = ("name", "new_password1", "new_password2")


class InvitationView(View):
    """The page of an invitation link. Somebody new chooses a name and a password, and is signed in; who has an account
    joins while signed in to it, as somebody else may have chosen its password.

    A link is valid for one use and for PASSWORD_RESET_TIMEOUT seconds.
    """

    def get(self, request: HttpRequest, token: str) -> HttpResponse:
        invited = _invited(token)
        is_new = invited is not None and not invited.operator.has_usable_password()
        return self._page(invited, JoinForm(invited.operator) if invited and is_new else None)

    def post(self, request: HttpRequest, token: str) -> HttpResponse:
        invited, chosen = _invited(token), {}
        if invited is None:
            return self._page(None)
        is_new = not invited.operator.has_usable_password()
        if is_new:
            form = JoinForm(invited.operator, request.POST)
            if not form.is_valid():
                return self._page(invited, form)
            chosen = {"name": form.cleaned_data["name"], "password": form.cleaned_data["new_password1"]}
        elif request.user != invited.operator:
            return self._page(invited)
        try:
            member = accept_invitation(invited, **chosen)
        except Conflict:
            return self._page(None)
        if is_new:
            login(request, member.operator, "django.contrib.auth.backends.ModelBackend")
        request.session[PROJECT_IN_SESSION] = str(member.project_id)
        return redirect("admin_ui:overview")

    def _page(self, invited: Membership | None, form: JoinForm | None = None) -> HttpResponse:
        ctx = {"invited": invited, "form": form}
        return render(self.request, "admin_ui/operators/invitation.html", ctx)
