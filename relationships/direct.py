"""A database session of one's own: for LISTEN, and for whatever else a pooler that shares sessions would take apart."""

from typing import Any

import psycopg
from django.conf import settings
from django.db import connections

_CONNECT_SECONDS = 5
_NOT_FOR_PSYCOPG = ("cursor_factory", "context")  # Django's own, of its connections


def direct_connection(**given: Any) -> "psycopg.Connection[Any]":
    """At DATABASE_DIRECT_URL; without one, where Django's connections are. Autocommit. Raises psycopg.Error.

    Statements are prepared unless the session may be shared after all.
    """
    if settings.DATABASE_DIRECT_URL:
        name = connections["default"].settings_dict["OPTIONS"].get("application_name", "rapport")
        parameters: dict[str, Any] = {
            "conninfo": settings.DATABASE_DIRECT_URL,
            "application_name": name,
            "connect_timeout": _CONNECT_SECONDS,
        }
    else:
        parameters = connections["default"].get_connection_params()
        for option in _NOT_FOR_PSYCOPG:
            parameters.pop(option, None)
        parameters.setdefault("connect_timeout", _CONNECT_SECONDS)
    return psycopg.connect(autocommit=True, **{**parameters, **given})
