import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.test import Client

from relationships.models import AuditEvent, Membership, Operator, Project, Role
from relationships.services.memberships import add_member
from tests.fixtures.operators import Browser
from tests.fixtures.turns import PERSON

OPERATORS = "/admin-ui/operators/"
INVITED = {"email": "new@example.org", "role": "editor"}
JOIN = {"name": "Noa", "new_password1": "a phrase of my own", "new_password2": "a phrase of my own"}


def invite(owner: Client) -> str:
    """The link that the page shows."""
    found = re.search(
        r'id="link"[^>]*>http://localhost([^<]+)<', owner.post(OPERATORS, INVITED).content.decode()
    )
    assert found
    return found[1]


def join(link: str) -> tuple[Client, str]:
    """Somebody without an account opens it, and sends the form if there is one. What they see in the end."""
    client = Client(HTTP_HOST="localhost")
    form = client.get(link, follow=True)
    if "Invitation not valid" in form.content.decode():
        return client, form.content.decode()
    return client, client.post(form.redirect_chain[-1][0], JOIN, follow=True).content.decode()


def test_who_is_invited_joins_by_the_link_once(owner: Client, project: Project) -> None:
    link = invite(owner)
    assert not Operator.objects.get(email="new@example.org").has_usable_password()

    client, shown = join(link)

    assert "Overview" in shown
    assert "Noa" in shown
    assert client.get(OPERATORS).status_code == 200
    operator = Operator.objects.get(email="new@example.org")
    assert operator.check_password("a phrase of my own")
    assert AuditEvent.objects.filter(project_id=project.id, action="membership.accepted").count() == 1
    assert "Invitation not valid" in join(link)[1]
    assert Operator.objects.get(id=operator.id).password == operator.password


def renew(owner: Client) -> None:
    invite(owner)


def withdraw(owner: Client) -> None:
    membership = Membership.objects.get(operator__email="new@example.org")
    owner.post(f"{OPERATORS}{membership.id}/", {"role": "none"})


@pytest.mark.parametrize("how", [renew, withdraw])
def test_a_link_that_was_renewed_or_withdrawn_is_void(owner: Client, how: Callable[[Client], None]) -> None:
    link = invite(owner)

    how(owner)

    assert "Invitation not valid" in join(link)[1]
    assert not Operator.objects.filter(email="new@example.org").exclude(password__startswith="!").exists()


def test_a_link_expires(owner: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    link = invite(owner)
    later = datetime.now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT + 60)
    monkeypatch.setattr(PasswordResetTokenGenerator, "_now", lambda self: later)

    assert "Invitation not valid" in join(link)[1]


def test_an_invitation_of_another_project_is_not_opened_by_ours(owner: Client) -> None:
    """Our owner would hold a link to an account that the other project trusts."""
    other = Project.objects.create(name="Other")
    add_member(project=other, email="new@example.org", role="owner", by=PERSON)

    shown = owner.post(OPERATORS, INVITED)

    assert shown.status_code == 422
    assert "invitations/" not in shown.content.decode()
    assert not Membership.objects.filter(operator__email="new@example.org").exclude(project=other).exists()


def test_somebody_who_has_an_account_needs_no_password(owner: Client) -> None:
    Operator.objects.create_user("known@example.org", "their own phrase")

    owner.post(OPERATORS, {"email": "known@example.org", "role": "editor"})

    assert Operator.objects.get(email="known@example.org").check_password("their own phrase")
    shown = owner.get(OPERATORS).content.decode()
    assert "known@example.org already has an account, and was added." in shown
    assert "invitations/" not in shown


def test_an_owner_changes_a_role_and_takes_one_away(owner: Client, signed_in: Browser) -> None:
    signed_in(Role.VIEWER)
    membership = Membership.objects.get(operator__email="viewer@example.org")

    owner.post(f"{OPERATORS}{membership.id}/", {"role": "editor"})
    assert Membership.objects.get(id=membership.id).role == Role.EDITOR
    owner.post(f"{OPERATORS}{membership.id}/", {"role": "none"})
    assert not Membership.objects.filter(id=membership.id).exists()


@pytest.mark.parametrize("role", ["viewer", "none"])
def test_the_last_owner_stays(owner: Client, role: str) -> None:
    membership = Membership.objects.get(operator__email="owner@example.org")

    answer = owner.post(f"{OPERATORS}{membership.id}/", {"role": role})

    assert answer.status_code == 409
    assert "no owner left" in answer.content.decode()
    assert Membership.objects.get(id=membership.id).role == Role.OWNER


def test_an_invitation_that_is_refused_says_why_and_forgets_nothing(owner: Client) -> None:
    answer = owner.post(OPERATORS, {"email": "ana@", "role": "editor"})

    shown = answer.content.decode()
    assert answer.status_code == 422 and "Email is not an email address." in shown
    assert 'value="ana@"' in shown and '<option value="editor" selected>' in shown
