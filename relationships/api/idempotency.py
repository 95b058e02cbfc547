"""The Idempotency-Key header. What a key made is kept by `relationships.services.idempotency`."""

import hashlib
import re

from django.http import HttpRequest
from rest_framework.request import Request

from relationships.errors import InvalidInput
from relationships.services.idempotency import earlier_resource, remember_key

__all__ = ["earlier_resource", "idempotency_key", "remember_key", "request_fingerprint"]

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
