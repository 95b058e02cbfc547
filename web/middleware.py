"""Middleware that answers errors outside the views as problem details, too."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import structlog
from corsheaders.middleware import CorsMiddleware
from django.conf import settings
from django.core.exceptions import BadRequest, MiddlewareNotUsed
from django.core.signals import got_request_exception
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.http.multipartparser import MultiPartParserError
from django.template.loader import render_to_string

from config import tracing
from config.logging import error_listeners, frames_of
from config.postgresql.sessions import sqlstate
from web.error_counter import count_error
from web.problems import OF_DJANGO, foreseen, plain_problem, problem

log = structlog.get_logger(__name__)
_FOR_MACHINES = (["v1"], ["mcp"], ["mem0"], ["git"])  # first parts of paths
_DJANGO_ANSWERS = (*OF_DJANGO, BadRequest, MultiPartParserError)


class CrossOriginMiddleware(CorsMiddleware):
    """CORS headers. Used only if sites are configured whose pages may call the API."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.CORS_ALLOWED_ORIGINS:
            raise MiddlewareNotUsed
        super().__init__(get_response)


class ProblemMiddleware:
    """Answers all errors of machines' calls as problems: unknown URLs, refused hosts, database failures, crashes."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        error_listeners.add(count_error)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not speaks_problems(request):
            response = self.get_response(request)
            if response.status_code == 404 and not request.accepts("text/html"):  # an address without its /v1
                detail = "There is nothing at this address. Those of the API begin with /v1."
                # OpenAI's clients read `error`.
                return problem(404, "not_found", detail, error={"message": detail})
            return response
        if "\x00" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            return problem(
                400, "bad_request", "The address holds a NUL character, which can't be kept. Leave it out."
            )
        response = self.get_response(request)
        if getattr(response, "tells_an_error", False):  # in the format of the protocol that is used there
            return response
        if response.status_code >= 400 and response.headers.get("Content-Type", "").startswith("text/html"):
            return plain_problem(response.status_code)
        return response

    def process_view(self, request: HttpRequest, view: object, args: object, named: dict[str, Any]) -> None:
        """Name the request's trace by its route."""
        if request.resolver_match is not None:
            tracing.route(request.method or "", request.resolver_match.route, named)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not speaks_problems(request):
            return _page_of(request, error)
        return foreseen(error) or _crashed(request, error)


def unreadable(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """The page for what can't be read. Django's own would read the form again, to check where it is from."""
    return HttpResponse(render_to_string("400.html"), status=400)


def speaks_problems(request: HttpRequest) -> bool:
    return request.path_info.split("/", 2)[1:2] in _FOR_MACHINES


def _page_of(request: HttpRequest, error: Exception) -> HttpResponse | None:
    """The error page for people; None: let Django answer, which would also log the text of a crash."""
    known = foreseen(error)
    if known is not None and known.status_code == 503:
        page = render_to_string("503.html")
        return HttpResponse(page, status=503, headers={"Retry-After": known.headers["Retry-After"]})
    if settings.DEBUG or isinstance(error, _DJANGO_ANSWERS):
        return None
    note_crash(error)
    got_request_exception.send(sender=ProblemMiddleware, request=request)
    return HttpResponse(render_to_string("500.html"), status=500)


def _crashed(request: HttpRequest, error: Exception) -> HttpResponse:
    detail, error_id = note_crash(error)
    got_request_exception.send(sender=ProblemMiddleware, request=request)
    return problem(500, "internal_error", detail, error_id=error_id)


def note_crash(error: Exception) -> tuple[str, str]:
    """Log a crash. Return a sentence for the answer, and the ID in it, which is in the log line, too.

    The error's own text is neither logged nor shown, as it may quote a person.
    """
    error_id = str(uuid4())
    log.error(
        "a request crashed",
        event_name="api.request.crashed",
        error_id=error_id,
        error_class=f"{type(error).__module__}.{type(error).__qualname__}",
        sqlstate=sqlstate(error),
        frames=frames_of(error),
    )
    return f"Something went wrong in Rapport. It was logged as {error_id}.", error_id
