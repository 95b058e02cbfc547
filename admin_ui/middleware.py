"""Middleware for the admin UI's pages only, such as sessions and security headers, which the API does not need.

Middleware between PagesOnly and EndOfPages in MIDDLEWARE runs for pages only.
"""

from collections.abc import Callable

from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponseBase

Handler = Callable[[HttpRequest], HttpResponseBase]

PREFIX = "/admin-ui/"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_ends: list[Handler] = []  # filled before PagesOnly reads it, as Django creates middleware from last to first


class PagesOnly:
    """Sends all requests that are not for pages directly to EndOfPages."""

    def __init__(self, get_response: Handler) -> None:
        self._pages, self._others = get_response, _ends.pop()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        handler = self._pages if is_page(request) else self._others
        return handler(request)


class EndOfPages:
    """Marks where requests that are not for pages continue. Does nothing itself."""

    def __init__(self, get_response: Handler) -> None:
        _ends.append(get_response)
        raise MiddlewareNotUsed


class PageSecurityMiddleware:
    """Adds headers so that browsers load only our own files, and no cache stores pages."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers["Content-Security-Policy"] = POLICY
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers["Referrer-Policy"] = "same-origin"
        return response


def is_page(request: HttpRequest) -> bool:
    return request.path_info.startswith(PREFIX)  # without the prefix that a proxy may have added
