import re
import time
from collections.abc import Callable

import pytest
from django.conf import settings
from django.core.signing import TimestampSigner, b62_encode
from django.test import Client

from relationships.models import AuditEvent, Membership, Operator, Project, Role
from relationships.services.memberships import accept_invitation, add_member
from tests.fixtures.operators import Browser, browser_of
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
    form = client.get(link)
    if "Invitation not valid" in form.content.decode():
        return client, form.content.decode()
    return client, client.post(link, JOIN, follow=True).content.decode()


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
    earlier = int(time.time()) - settings.PASSWORD_RESET_TIMEOUT - 60
    monkeypatch.setattr(TimestampSigner, "timestamp", lambda self: b62_encode(earlier))
    link = invite(owner)

    assert "Invitation not valid" in join(link)[1]


def test_who_has_an_account_joins_while_signed_in_to_it(owner: Client, project: Project) -> None:
    known = Operator.objects.create_user("new@example.org", "their own phrase")
    link, guest = invite(owner), browser_of(known)
    assert guest.get(OPERATORS).status_code == 403
    assert "Sign in to that account to join" in join(link)[1]
    assert "sign out first" in owner.get(link).content.decode()
    assert "sign out first" in owner.post(link, JOIN).content.decode()
    assert guest.get(OPERATORS).status_code == 403

    guest.post(link)

    assert guest.get(OPERATORS).status_code == 200
    assert Operator.objects.get(id=known.id).check_password("their own phrase")
    assert AuditEvent.objects.filter(project_id=project.id, action="membership.accepted").count() == 1
    assert "Invitation not valid" in guest.get(link).content.decode()


def test_who_made_up_an_account_joins_no_project_that_invites_its_address(owner: Client) -> None:
    """Another project's owner opens the link for somebody else's address, and chooses its password."""
    other = Project.objects.create(name="Other")
    invited = add_member(project=other, email="new@example.org", role="owner", by=PERSON)
    accept_invitation(invited, name="Not Noa", password="a phrase of my own")
    stranger = browser_of(Operator.objects.get(email="new@example.org"))

    invite(owner)

    assert "Other" in stranger.get(OPERATORS).content.decode()
    assert f'value="{other.id}"' in stranger.get(OPERATORS).content.decode()
    assert (
        not Membership.objects.exclude(project=other)
        .filter(operator=invited.operator, invited_at=None)
        .exists()
    )
    shown = owner.get(OPERATORS).content.decode()
    assert "Not Noa" in shown and "invited</span>" in shown


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
    assert answer.status_code == 422
    assert 'aria-describedby="email-error"' in shown
    assert 'id="email-error">Email is not an email address.<' in shown
    assert 'value="ana@"' in shown and '<option value="editor" selected>' in shown
