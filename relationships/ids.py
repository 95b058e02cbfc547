"""Where IDs come from: UUIDv7 (RFC 9562) for rows, UUIDv5 for what must be the same for the same pair."""

from uuid import UUID, uuid5

import uuid_utils

# A random namespace of our own. Changing it would give every pair a second relationship.
RELATIONSHIP_NAMESPACE = UUID("6f0f3f0a-5f5b-4f0e-9a53-6d1c1a7b2c41")


def uuid7() -> UUID:
    """A new time-ordered ID. Neither Python 3.11 nor PostgreSQL 15 makes them."""
    return UUID(bytes=uuid_utils.uuid7().bytes)


def relationship_id(companion_id: UUID, user_id: UUID) -> UUID:
    """The ID of the one relationship of this pair: the primary key itself keeps the pair unique."""
    return uuid5(RELATIONSHIP_NAMESPACE, f"{companion_id}:{user_id}")
