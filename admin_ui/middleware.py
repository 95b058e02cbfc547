"""What the admin UI's pages have and the API has not: a session with an operator, messages, and a browser to guard."""

from collections.abc import Awaitable, Callable

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin
from django_htmx.middleware import HtmxMiddleware

PREFIX = "/admin-ui/"
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
)


class PagesOnly(MiddlewareMixin):
    """Stands aside elsewhere: the API knows its callers by their keys, and answers without waiting for all this."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        return super().__call__(request) if is_page(request) else self.get_response(request)


class PageSessionMiddleware(PagesOnly, SessionMiddleware):
    """Django's."""


class PageAuthenticationMiddleware(PagesOnly, AuthenticationMiddleware):
    """Django's."""


class PageMessageMiddleware(PagesOnly, MessageMiddleware):
    """Django's."""


class PageHtmxMiddleware(HtmxMiddleware):
    """django-htmx's."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        return super().__call__(request) if is_page(request) else self.get_response(request)


class PageSecurityMiddleware:
    """Lets a browser run and show our own files, and nothing else; memory is never kept by a cache."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if is_page(request):
            response.headers["Content-Security-Policy"] = POLICY
            response.headers.setdefault("Cache-Control", "no-store")
            response.headers["Referrer-Policy"] = "same-origin"
        return response


def is_page(request: HttpRequest) -> bool:
    return request.path_info.startswith(PREFIX)  # wherever a proxy may have put us
