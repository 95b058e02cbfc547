"""Parse the conditional headers of a request: If-Match and Idempotency-Key."""

import hashlib
import re

from django.http import HttpRequest
from rest_framework.request import Request

from web.errors import InvalidInput

_TAG = re.compile(r'"([0-9]{1,9})"')
_SHA256 = re.compile(r'"([0-9a-f]{64})"')
_PRINTABLE = re.compile(r"[\x20-\x7e]{1,255}")


def etag(version: int) -> str:
    """The ETag of a row that two people may edit: its version, in quotes."""
    return f'"{version}"'


def expected_version(request: HttpRequest | Request) -> int | None:
    """The version in If-Match; None if it is absent or `*`, which both mean any version."""
    given = request.META.get("HTTP_IF_MATCH")
    if given is None or given.strip() == "*":
        return None
    match = _TAG.fullmatch(given.strip())
    if match is None:
        raise InvalidInput.of("If-Match", 'send back an ETag as it was given, such as "3", or *')
    return int(match.group(1))


def expected_sha256(request: HttpRequest | Request) -> str | None:
    """The SHA-256 in If-Match; None if it is absent or `*`."""
    given = request.META.get("HTTP_IF_MATCH")
    if given is None or given.strip() == "*":
        return None
    match = _SHA256.fullmatch(given.strip())
    if match is None:
        raise InvalidInput.of("If-Match", "send back the ETag as it was given: a SHA-256 in quotes, or *")
    return match.group(1)


def idempotency_key(request: HttpRequest | Request) -> str | None:
    """The header's value, or None. Raises InvalidInput unless it is 1 to 255 printable ASCII characters."""
    key = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not _PRINTABLE.fullmatch(key):
        raise InvalidInput.of("Idempotency-Key", "send 1 to 255 printable ASCII characters")
    return key


def request_fingerprint(raw_body: bytes) -> bytes:
    """A hash of the body, by which requests with the same key are compared."""
    return hashlib.sha256(raw_body).digest()
