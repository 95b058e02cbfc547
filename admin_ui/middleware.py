"""What the admin UI's pages have and the API has not: a session with an operator, messages, and a browser to guard.

All that stands in MIDDLEWARE between PagesOnly and EndOfPages is for pages alone.
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
_ends: list[Handler] = []  # Django makes the last of MIDDLEWARE first


class PagesOnly:
    """Leads all other requests to EndOfPages: the API knows its callers by their keys, and needs none of this."""

    def __init__(self, get_response: Handler) -> None:
        self._pages, self._others = get_response, _ends.pop()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        handler = self._pages if is_page(request) else self._others
        return handler(request)


class EndOfPages:
    """Where they go on. It only marks the place."""

    def __init__(self, get_response: Handler) -> None:
        _ends.append(get_response)
        raise MiddlewareNotUsed


class PageSecurityMiddleware:
    """Lets a browser run and show our own files, and nothing else; memory is never kept by a cache."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers["Content-Security-Policy"] = POLICY
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers["Referrer-Policy"] = "same-origin"
        return response


def is_page(request: HttpRequest) -> bool:
    return request.path_info.startswith(PREFIX)  # wherever a proxy may have put us
