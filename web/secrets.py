"""Keys and tokens. They are random enough (256 bits) that a fast hash is safe to store (docs/adr/0005)."""

import hashlib
import secrets
import string
from uuid import UUID

from django.utils.crypto import get_random_string


def new_key() -> tuple[str, str]:
    """A key's prefix, by which it is found and recognised, and the key: `rk_<8 characters>_<secret>`."""
    prefix = "rk_" + get_random_string(8, string.ascii_lowercase + string.digits)
    return prefix, f"{prefix}_{secrets.token_urlsafe(32)}"


def new_token(relationship_id: UUID) -> str:
    """A token that names its relationship, so that one query finds it: `rt_<relationship>_<secret>`."""
    return f"rt_{relationship_id.hex}_{secrets.token_urlsafe(32)}"


def secret_hash(secret: str) -> bytes:
    """What is stored of a key or token: SHA-256, 32 bytes."""
    return hashlib.sha256(secret.encode()).digest()
