"""Calls our own REST API within the process, for requests in other protocols.

So a key's scopes, a token's relationship, the limits and all checks of a body apply as over HTTP, and no protocol has
its own way to the rows.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from urllib.parse import urlencode

from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.urls import Resolver404, resolve
from rest_framework.request import Request

from web.authentication import ADMITTED, Credentials, authenticate_header
from web.server.clients import CLIENT
from web.throttling import count_requests

_CARRIED = ("REMOTE_ADDR", "SERVER_NAME", "SERVER_PORT", "HTTP_HOST", "wsgi.url_scheme", "wsgi.errors")
MOST = 200  # items of a page


@dataclass(frozen=True, slots=True)
class Answered:
    """A response. `body`: parsed JSON, or None."""

    status: int
    body: Any

    @property
    def good(self) -> bool:
        return self.status < 400

    @property
    def sentence(self) -> str:
        """A problem as text: what is wrong, and with which fields."""
        said = str(self.body.get("detail", self.status))
        fields = (f"{one['field']}: {one['detail']}" for one in self.body.get("errors", []))
        more = "; ".join(one for one in fields if one != said)
        return f"{said} ({more})" if more else said


class OwnApi:
    """Calls the API for the sender of `request`, with the key or token `authorization`. Paths are below /v1."""

    def __init__(self, request: HttpRequest | Request, *, authorization: str) -> None:
        outer = request._request if isinstance(request, Request) else request
        self._outer, self._authorization = outer, authorization
        self._admitted: dict[str, Credentials] = {}

    def admit(self, requests: int) -> None:
        """Authenticate and count this many requests in advance, before they are made in one transaction.

        Inside it, the rows written for that would block all other requests of the same key until its end. Raises
        AuthenticationFailed, TooManyRequests.
        """
        credentials = authenticate_header(self._authorization)
        count_requests(credentials, requests)
        self._admitted = {ADMITTED: credentials}

    def get(self, path: str, **query: Any) -> Answered:
        return self.ask("GET", path, query=query)

    def post(self, path: str, body: Any = None, **query: Any) -> Answered:
        return self.ask("POST", path, body, query=query)

    def add_entry(self, path: str, entry: Any) -> tuple[Answered, bool]:
        """Add an entry below `path`, or find the one that says the same. Returns it, and whether it is new."""
        added = self.post(path, entry)
        if added.status == 409 and "entry" in added.body:
            return self.get(f"{path}/{added.body['entry']}"), False
        return added, True

    def every(
        self,
        path: str,
        body_of: Callable[[Answered], Any],
        *,
        most: int | None = None,
        cursor: str | None = None,
        **query: Any,
    ) -> list[Any]:
        """All items of a list, or the `most` after `cursor`, page by page. `body_of` raises the other protocol's error
        for a problem.
        """
        items: list[Any] = []
        while True:
            limit = MOST if most is None else min(MOST, most - len(items))
            page = body_of(self.get(path, limit=limit, cursor=cursor, **query))
            items += page["items"]
            cursor = page["next_cursor"]
            if cursor is None or len(items) == most:
                return items

    def ask(self, method: str, path: str, body: Any = None, *, query: Any = (), **headers: str) -> Answered:
        """Make a call. `headers` are named as in an environ, such as HTTP_IF_MATCH. A crash of the view is raised."""
        raw = b"" if body is None else json.dumps(body, ensure_ascii=False).encode(errors="backslashreplace")
        given = {name: value for name, value in dict(query).items() if value is not None}
        environ = {name: self._outer.META[name] for name in _CARRIED if name in self._outer.META}
        environ |= {
            "REQUEST_METHOD": method,
            "PATH_INFO": f"/v1{path}".encode().decode("latin-1"),  # WSGI's encoding
            "QUERY_STRING": urlencode(given, doseq=True),
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(raw)),
            "HTTP_AUTHORIZATION": self._authorization,
            "wsgi.input": BytesIO(raw),
            **self._admitted,
            **headers,
        }
        inner = WSGIRequest(environ)
        try:
            view, arguments, named = resolve(inner.path_info)
        except Resolver404:
            return Answered(404, {"detail": "There is nothing at this address."})
        response = view(inner, *arguments, **named)
        if hasattr(response, "render"):
            response.render()
        if CLIENT in inner.META:
            self._outer.META[CLIENT] = inner.META[CLIENT]
        content = b"".join(response) if response.streaming else response.content
        return Answered(response.status_code, json.loads(content) if content else None)
