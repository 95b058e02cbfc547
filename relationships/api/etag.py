"""ETag and If-Match on what two people may edit: the tag is the row's version in quotes."""

import re

from django.http import HttpRequest
from rest_framework.request import Request

from relationships.errors import InvalidInput, StaleVersion

_TAG = re.compile(r'"([0-9]{1,9})"')


def etag(version: int) -> str:
    return f'"{version}"'


def expected_version(request: HttpRequest | Request) -> int | None:
    """The version If-Match names; None when it is absent or `*`, which both mean: whatever is there now."""
    given = request.headers.get("If-Match")
    if given is None or given.strip() == "*":
        return None
    match = _TAG.fullmatch(given.strip())
    if match is None:
        raise InvalidInput.of("If-Match", 'send back an ETag as it was given, such as "3", or *')
    return int(match.group(1))


def require_match(request: HttpRequest | Request, version: int) -> None:
    """Raises StaleVersion when the request names another version than the one that stands."""
    expected = expected_version(request)
    if expected is not None and expected != version:
        raise StaleVersion(
            f"this is version {version} now, not {expected}: read it again", current_version=version
        )
