import pytest
from django.test import Client

from relationships.models import Membership, Operator, Role
from tests.fixtures.operators import Browser

OPERATORS = "/admin-ui/operators/"


def test_somebody_who_has_an_account_needs_no_password(owner: Client) -> None:
    Operator.objects.create_user("known@example.org", "their own phrase")

    owner.post(OPERATORS, {"email": "known@example.org", "role": "editor"})

    assert Operator.objects.get(email="known@example.org").check_password("their own phrase")
    assert "known@example.org" in owner.get(OPERATORS).content.decode()


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
