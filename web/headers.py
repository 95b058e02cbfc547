"""Parse the conditional headers of a request: If-Match and Idempotency-Key; and refuse others."""

import hashlib
import re

from django.http import HttpRequest
from rest_framework.request import Request

from web.errors import InvalidInput

_TAG = re.compile(r'"([0-9]{1,9})"')
_SHA256 = re.compile(r'"([0-9a-f]{64})"')
_NEVER_COMPARED = ("If-None-Match", "If-Unmodified-Since")
_PRINTABLE = re.compile(r"[\x20-\x7e]{1,255}")


def etag(version: int) -> str:
    """The ETag of a row that two people may edit: its version, in quotes."""
    return f'"{version}"'


def expected_version(request: HttpRequest | Request) -> int | None:
    """The version in If-Match; None if it is absent or `*`, which both mean any version."""
    tag = _if_match(request, _TAG, 'send back an ETag as it was given, such as "3", or *')
    return None if tag is None else int(tag)


def expected_sha256(request: HttpRequest | Request) -> str | None:
    """The SHA-256 in If-Match; None if it is absent or `*`."""
    return _if_match(request, _SHA256, "send back the ETag as it was given: a SHA-256 in quotes, or *")


def _if_match(request: HttpRequest | Request, shape: re.Pattern[str], way_out: str) -> str | None:
    given = request.META.get("HTTP_IF_MATCH", "*").strip()
    if given == "*":
        return None
    match = shape.fullmatch(given)
    if match is None:
        raise InvalidInput.of("If-Match", way_out)
    return match[1]


def refuse_ignored(request: HttpRequest | Request, *, if_match: bool, idempotent: bool) -> None:
    """Refuse a condition that this call, which writes, would ignore. Raises InvalidInput."""
    if not if_match and request.META.get("HTTP_IF_MATCH", "*").strip() != "*":
        way_out = "leave it out, or name the version in the body where that takes a `version`"
        raise InvalidInput.of("If-Match", f"this call compares no versions by it: {way_out}")
    for name in _NEVER_COMPARED:
        if name in request.headers:
            raise InvalidInput.of(name, "no call that writes compares by it: leave it out, or send If-Match")
    if not idempotent and "HTTP_IDEMPOTENCY_KEY" in request.META:
        raise InvalidInput.of("Idempotency-Key", "this call remembers no keys: leave it out")


def idempotency_key(request: HttpRequest | Request) -> str | None:
    """The header's value, or None. Raises InvalidInput unless it is 1 to 255 printable ASCII characters."""
    key = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not _PRINTABLE.fullmatch(key):
        raise InvalidInput.of("Idempotency-Key", "send 1 to 255 printable ASCII characters")
    return key


def request_fingerprint(raw_body: bytes) -> bytes:
    """A hash of the body, by which requests with the same key are compared."""
    return hashlib.sha256(raw_body).digest()
