"""Parts of addresses. What does not match is an unknown address, 404."""

from typing import Any

# What OpenAPI says of path parameters whose converter it does not know, by parameter name.
PATH_SCHEMAS: dict[str, dict[str, Any]] = {
    "session": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": r"^[^/\x00-\x1f\x7f]+$"}
}


class SessionConverter:
    """The developer's own ID of a session: up to 200 characters, no slash, no control characters."""

    regex = r"[^/\x00-\x1f\x7f]{1,200}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value
