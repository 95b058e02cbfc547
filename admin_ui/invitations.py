"""The link with which an invited operator joins: good for one use, and for PASSWORD_RESET_TIMEOUT seconds."""

from typing import Any

from django import forms
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.http import HttpRequest
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from relationships.models import Operator
from relationships.services.memberships import accept_invitation


class InvitationTokens(PasswordResetTokenGenerator):
    """Signed, and bound to the account's password: once that is set, or the invitation renewed, the token is void."""

    key_salt = "admin_ui.invitations"


tokens = InvitationTokens()


def invitation_link(request: HttpRequest, operator: Operator) -> str:
    """The whole address. Whoever has it can join: it is shown once, to who invites."""
    parts = [urlsafe_base64_encode(force_bytes(operator.pk)), tokens.make_token(operator)]
    return request.build_absolute_uri(reverse("admin_ui:invitation", args=parts))


class JoinForm(SetPasswordForm):  # type: ignore[type-arg]
    name = forms.CharField(
        label="Name", max_length=150, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )

    field_order = ("name", "new_password1", "new_password2")

    def save(self, commit: bool = True) -> Any:
        """Raises Conflict where somebody was faster with the same link."""
        name, password = self.cleaned_data["name"], self.cleaned_data["new_password1"]
        return accept_invitation(operator_id=self.user.pk, name=name, password=password)
