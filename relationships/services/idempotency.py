"""Idempotency keys: repeating a call has no second effect. A key is stored with what it created, not with the answer.

Both functions run in the transaction that creates it, under the relationship's row lock. So of two calls with the
same key the second waits, and then finds what the first created.
"""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings

from config.postgresql.sessions import execute
from relationships.ids import uuid7
from relationships.models import IdempotencyKey, Relationship
from web.errors import IdempotencyMismatch

TURNS = "turns"  # the route of calls that make a turn


class Idempotency(NamedTuple):
    """The developer's key for a call, a hash of what was sent (32 bytes), and the route for which the key is."""

    key: str
    request_hash: bytes
    route: str = TURNS


def earlier_resource(relationship_id: UUID, call: Idempotency) -> UUID | None:
    """The ID of what an earlier call with this key created. Raises IdempotencyMismatch if the request differs."""
    earlier = (
        IdempotencyKey.objects.for_relationship(relationship_id)
        .filter(route=call.route, key_hash=_hash(call.key), created_at__gt=_oldest(datetime.now(UTC)))
        .values_list("request_hash", "resource_id")
        .first()
    )
    if earlier is None:
        return None
    if bytes(earlier[0]) != call.request_hash:
        raise IdempotencyMismatch("This Idempotency-Key was used with another request: use a new one.")
    resource_id: UUID = earlier[1]
    return resource_id


# A row with the same key is an expired one, and is replaced.
KEEP_KEY = """
INSERT INTO relationships_idempotencykey
       (relationship_id, id, project_id, route, key_hash, request_hash, resource_id, created_at)
VALUES (%(relationship)s, %(key_id)s, %(project)s, %(route)s, %(key_hash)s, %(request_hash)s, %(resource)s, %(made_at)s)
ON CONFLICT (relationship_id, route, key_hash) DO UPDATE
   SET request_hash = excluded.request_hash, resource_id = excluded.resource_id, created_at = excluded.created_at
"""


def remember_key(relationship: Relationship, call: Idempotency, resource_id: UUID) -> None:
    """Store what was created by a call."""
    own = {"relationship": relationship.id, "project": relationship.project_id}
    execute(KEEP_KEY, own | kept_key(call, resource_id))


def kept_key(call: Idempotency, resource_id: UUID) -> dict[str, Any]:
    """The parameters of KEEP_KEY, except for relationship and project."""
    return {
        "key_id": uuid7(),
        "route": call.route,
        "key_hash": _hash(call.key),
        "request_hash": call.request_hash,
        "resource": resource_id,
        "made_at": datetime.now(UTC),
    }


def drop_old_keys(now: datetime) -> int:
    """Delete the expired keys; return how many."""
    return IdempotencyKey.objects.filter(created_at__lte=_oldest(now)).delete()[0]


def _oldest(now: datetime) -> datetime:
    return now - timedelta(hours=settings.IDEMPOTENCY_HOURS)


def _hash(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()
