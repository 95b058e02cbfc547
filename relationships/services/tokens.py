"""Relationship tokens: short-lived keys to one relationship, for a person's own browser or an agent's session."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db import transaction

from relationships.ids import uuid7
from relationships.models import Relationship, RelationshipToken
from relationships.services.audit import audit_row
from relationships.services.rows import require
from web.actor import Actor, ActorKind
from web.secrets import new_token, secret_hash


@transaction.atomic
def create_token(
    *,
    relationship: Relationship,
    scopes: Iterable[str],
    expires_in: int,
    by: Actor,
    session_id: UUID | None = None,
) -> tuple[RelationshipToken, str]:
    """Return the token's row and the token itself, which can't be recovered later.

    `expires_in` is in seconds; `session_id` is the agent's session that the token is for.
    """
    token = new_token(relationship.id)
    row: RelationshipToken = RelationshipToken.objects.create(
        relationship_id=relationship.id,
        id=uuid7(),
        project_id=relationship.project_id,
        token_hash=secret_hash(token),
        scopes=sorted(set(scopes)),
        session_id=session_id,
        key_prefix=by.id if by.kind == ActorKind.DEVELOPER else "",
        expires_at=datetime.now(UTC) + timedelta(seconds=expires_in),
    )
    audit_row(row, "relationship_token.created", by, relationship_id=str(relationship.id))
    return row, token


def page_for(token: str, scopes: Iterable[str]) -> str:
    """The path of the page on which the token's holder sees what is remembered. The token is in the fragment, which
    browsers do not send.
    """
    return f"/memory#token={token}" + ("" if "write" in scopes else "&scopes=read")


def prolong_token(*, relationship_id: UUID, token_id: UUID, expires_in: int) -> None:
    """Make a token that is still valid expire `expires_in` seconds from now."""
    now = datetime.now(UTC)
    rows = RelationshipToken.objects.for_relationship(relationship_id).filter(id=token_id)
    rows.filter(revoked_at=None, expires_at__gt=now).update(expires_at=now + timedelta(seconds=expires_in))


@transaction.atomic
def revoke_token(*, relationship: Relationship, token_id: UUID, by: Actor) -> None:
    """Make the token useless. Raises NotFound."""
    rows = RelationshipToken.objects.for_relationship(relationship.id).filter(id=token_id)
    row = require(rows, "token")
    if rows.filter(revoked_at=None).update(revoked_at=datetime.now(UTC)):
        audit_row(row, "relationship_token.revoked", by, relationship_id=str(relationship.id))


def drop_expired_tokens(now: datetime) -> int:
    """Delete the expired tokens; return how many."""
    return RelationshipToken.objects.filter(expires_at__lte=now).delete()[0]
