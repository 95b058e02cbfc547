"""Idempotency-Key: the same call twice makes one thing. The key is kept with what it made; no answer is kept.

Both functions run inside the making transaction, after it took the relationship's row lock: so of two calls
with one key the second waits, and then finds what the first made.
"""

import hashlib
import re
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

from relationships.errors import IdempotencyMismatch, InvalidInput
from relationships.ids import uuid7
from relationships.models import IdempotencyKey, Relationship

_PRINTABLE = re.compile(r"[\x20-\x7e]{1,255}")


def idempotency_key(request: HttpRequest | Request) -> str | None:
    """The header's value, or None. Raises InvalidInput unless it is 1 to 255 printable ASCII characters."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not _PRINTABLE.fullmatch(key):
        raise InvalidInput.of("Idempotency-Key", "send 1 to 255 printable ASCII characters")
    return key


def request_fingerprint(raw_body: bytes) -> bytes:
    """What tells one request from another under the same key: the body, byte by byte."""
    return hashlib.sha256(raw_body).digest()


def earlier_resource(*, relationship_id: UUID, route: str, key: str, request_hash: bytes) -> UUID | None:
    """What this key made before, if that is not too old. Raises IdempotencyMismatch for another request."""
    since = datetime.now(UTC) - timedelta(hours=settings.IDEMPOTENCY_HOURS)
    earlier = (
        IdempotencyKey.objects.for_relationship(relationship_id)
        .filter(route=route, key_hash=_hash(key), created_at__gt=since)
        .values_list("request_hash", "resource_id")
        .first()
    )
    if earlier is None:
        return None
    if bytes(earlier[0]) != request_hash:
        raise IdempotencyMismatch("This Idempotency-Key was used with another request: take a new one.")
    resource_id: UUID = earlier[1]
    return resource_id


def remember_key(
    *, relationship: Relationship, route: str, key: str, request_hash: bytes, resource_id: UUID
) -> None:
    """Keep what `key` made. A key that was too old to count is taken over."""
    fields = {"request_hash": request_hash, "resource_id": resource_id, "created_at": datetime.now(UTC)}
    used = IdempotencyKey.objects.for_relationship(relationship.id).filter(route=route, key_hash=_hash(key))
    if used.update(**fields):
        return
    IdempotencyKey.objects.create(
        relationship_id=relationship.id,
        id=uuid7(),
        project_id=relationship.project_id,
        route=route,
        key_hash=_hash(key),
        request_hash=request_hash,
        resource_id=resource_id,
    )


def _hash(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()
