"""Secrets of tools: encrypted with a key derived from SECRET_KEY, filled in when a tool is called, never shown."""

import base64
from collections.abc import Iterable
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import transaction

from relationships.models import Companion
from relationships.services.audit import audit_row
from relationships.services.rows import require
from web.actor import Actor
from workspace.errors import ToolRefused
from workspace.gateway.limits import require_room
from workspace.models import ToolSecret

MOST_SECRETS = 100  # of a companion


@transaction.atomic
def put_secret(*, companion: Companion, name: str, value: str, by: Actor) -> None:
    """Raises Conflict."""
    require_room(ToolSecret, companion, name, most=MOST_SECRETS, what="secrets")
    encrypted = _cipher().encrypt(value.encode())
    row, _ = ToolSecret.objects.update_or_create(
        companion=companion, name=name, defaults={"project_id": companion.project_id, "encrypted": encrypted}
    )
    audit_row(row, "tool_secret.written", by, name=name, companion_id=str(companion.id))


@transaction.atomic
def delete_secret(*, companion: Companion, name: str, by: Actor) -> None:
    """Raises NotFound."""
    row = require(ToolSecret.objects.filter(companion=companion, name=name), "secret")
    audit_row(row, "tool_secret.deleted", by, name=name, companion_id=str(companion.id))
    row.delete()


def read_secrets(companion_id: UUID, names: Iterable[str]) -> dict[str, str]:
    """Decrypt these secrets. Raises ToolRefused if one is missing, or was written under another SECRET_KEY."""
    wanted = set(names)
    rows = ToolSecret.objects.filter(companion_id=companion_id, name__in=wanted)
    found = {row.name: bytes(row.encrypted) for row in rows} if wanted else {}
    if missing := sorted(wanted - found.keys()):
        raise ToolRefused(f"The tool's secret {missing[0]} was not given.")
    try:
        return {name: _cipher().decrypt(value).decode() for name, value in found.items()}
    except InvalidToken:
        raise ToolRefused(
            "The tool's secrets were written with another SECRET_KEY: write them again."
        ) from None


def _cipher() -> Fernet:
    key = HKDF(SHA256(), 32, salt=None, info=b"rapport tool secrets").derive(settings.SECRET_KEY.encode())
    return Fernet(base64.urlsafe_b64encode(key))
