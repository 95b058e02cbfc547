"""A project's operators and their roles, and joining by an invitation."""

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib.auth.forms import SetPasswordForm, SetPasswordMixin
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.contrib.auth.views import PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse
from django.urls import reverse, reverse_lazy
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from admin_ui.access import OperatorView
from admin_ui.paging import Sort, page_of
from admin_ui.params import text_param
from admin_ui.words import sentence_of
from relationships.models import Membership, Operator, Role
from relationships.services.memberships import accept_invitation, add_member, change_role, remove_member
from web.errors import Conflict, RapportError

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
        if not member.operator.has_usable_password():
            return self._page(invited=email, link=_invitation_link(request, member.operator))
        said = f"{member.operator.email} already has an account, and was added."
        return self.done(said, "admin_ui:operators")

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
            return self.done("Operator removed.", "admin_ui:operators")
        member = change_role(**which, role=role)
        return self.done(f"{member.operator.email} is now {member.role}.", "admin_ui:operators")


class InvitationTokens(PasswordResetTokenGenerator):
    """Signed tokens, which become invalid when the account's password is set or the invitation is renewed."""

    key_salt = "admin_ui.invitations"


_tokens = InvitationTokens()


def _invitation_link(request: HttpRequest, operator: Operator) -> str:
    """Return the absolute URL. Whoever has it can join, so it is shown once, to the operator who invites."""
    parts = [urlsafe_base64_encode(force_bytes(operator.pk)), _tokens.make_token(operator)]
    return request.build_absolute_uri(reverse("admin_ui:invitation", args=parts))


class JoinForm(SetPasswordForm):  # type: ignore[type-arg]
    name = forms.CharField(
        label="Name", max_length=150, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    new_password1, new_password2 = SetPasswordMixin.create_password_fields(
        label1="Password", label2="Repeat the password"
    )

    field_order = ("name", "new_password1", "new_password2")

    def save(self, commit: bool = True) -> Any:
        """Set the name and password. Raises Conflict if the link was used meanwhile."""
        name, password = self.cleaned_data["name"], self.cleaned_data["new_password1"]
        return accept_invitation(operator_id=self.user.pk, name=name, password=password)


class InvitationView(PasswordResetConfirmView):
    """The page of an invitation link, without sign-in: choose a name and a password, and be signed in.

    A link is valid for one use and for PASSWORD_RESET_TIMEOUT seconds.
    """

    template_name = "admin_ui/operators/invitation.html"
    form_class = JoinForm
    token_generator = _tokens
    post_reset_login = True
    post_reset_login_backend = "django.contrib.auth.backends.ModelBackend"
    success_url = reverse_lazy("admin_ui:overview")

    def get_user(self, uidb64: str) -> Operator | None:
        """Return the invited operator; None if they have joined."""
        operator = super().get_user(uidb64)
        return operator if isinstance(operator, Operator) and not operator.has_usable_password() else None

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            return super().form_valid(form)
        except Conflict:
            return self.render_to_response(self.get_context_data(form=None, validlink=False))
