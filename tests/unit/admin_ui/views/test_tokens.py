"""Tokens of one relationship: shown once, listed for whoever looks, revoked."""

import re
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.utils import timezone

from relationships.models import Relationship, RelationshipToken
from relationships.services.tokens import create_token
from tests.fixtures.api import TESTER
from web.secrets import secret_hash


@pytest.fixture
def page(relationship: Relationship) -> str:
    return f"/admin-ui/relationships/{relationship.id}/tokens/"


def new_token(relationship: Relationship, session_id: UUID | None = None) -> RelationshipToken:
    row, _ = create_token(
        relationship=relationship, scopes=["read"], expires_in=900, by=TESTER, session_id=session_id
    )
    return row


def test_a_token_is_shown_once_and_opens_its_relationship_for_so_long(
    owner: Client, client: Client, page: str, relationship: Relationship
) -> None:
    shown = owner.post(page, {"scope": "write", "lifetime": "900"}).content.decode()

    match = re.search(r'id="token" tabindex="0">([^<]+)<', shown)
    assert match is not None
    row = RelationshipToken.objects.get(relationship=relationship)
    assert bytes(row.token_hash) == secret_hash(match[1])
    assert timedelta(minutes=14) < row.expires_at - timezone.now() < timedelta(minutes=15)
    opened = client.get(
        f"/v1/relationships/{relationship.id}/entries", headers={"authorization": f"Bearer {match[1]}"}
    )
    assert opened.status_code == 200
    again = owner.get(page).content.decode()
    assert str(row.id) in again and match[1] not in again


@pytest.mark.parametrize("sent", [{"scope": "admin"}, {"lifetime": "864000"}, {"lifetime": "x"}])
def test_a_token_that_can_not_be_made_is_refused_in_words(
    owner: Client, page: str, sent: dict[str, str]
) -> None:
    answer = owner.post(page, {"scope": "read", "lifetime": "900", **sent})

    assert answer.status_code == 422 and 'role="alert"' in answer.content.decode()
    assert not RelationshipToken.objects.exists()


def test_what_opens_a_relationship_is_listed_until_it_expires(
    viewer: Client, page: str, relationship: Relationship
) -> None:
    """Those of agents' sessions too, with the way to the session."""
    session_id = uuid4()
    kept, of_agent, old = (
        new_token(relationship),
        new_token(relationship, session_id),
        new_token(relationship),
    )
    RelationshipToken.objects.filter(id=old.id).update(expires_at=timezone.now())

    assert f'href="{page}"' in viewer.get(page.removesuffix("tokens/")).content.decode()
    shown = viewer.get(page).content.decode()

    assert str(kept.id) in shown and str(of_agent.id) in shown and str(old.id) not in shown
    assert f"workspace/sessions/{session_id}/" in shown
    assert "Create token" not in shown


def test_a_revoked_token_opens_nothing_and_says_so(
    owner: Client, page: str, relationship: Relationship
) -> None:
    row = new_token(relationship)

    shown = owner.post(f"{page}{row.id}/revoke/", follow=True).content.decode()

    assert RelationshipToken.objects.get(id=row.id).revoked_at is not None
    assert "Token revoked." in shown and ">revoked</span>" in shown
