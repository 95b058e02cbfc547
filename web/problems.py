"""RFC 9457 problem details: the format of every error, and the one table from our errors to statuses."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

import orjson
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework import exceptions as drf
from rest_framework.request import Request

from config.postgresql.sessions import DEADLOCK, DISK_FULL, database_went_away, node_went_away, sqlstate
from web import errors
from web.errors import FieldProblem

CONTENT_TYPE = "application/problem+json"
_SHORTLY = {"Retry-After": "1"}

# The nearest base class in this table decides, so subclasses of these need no line of their own.
STATUSES: dict[type[errors.RapportError], int] = {
    errors.InvalidInput: 422,
    errors.NotFound: 404,
    errors.Gone: 410,
    errors.Conflict: 409,
    errors.IdempotencyMismatch: 422,
    errors.NotAllowed: 403,
    errors.TooMuch: 413,
    errors.TooManyRequests: 429,
    errors.Unsupported: 415,
    errors.Unavailable: 503,
    errors.UpstreamFailed: 502,
}
# What Django itself raises; the first that matches decides.
OF_DJANGO: dict[type[Exception], int] = {
    RequestDataTooBig: 413,
    SuspiciousOperation: 400,
    Http404: 404,
    PermissionDenied: 403,
}
SEND_KEY = "Send your key as: Authorization: Bearer rk_..."
PLAIN = {
    400: ("bad_request", "The request can't be read."),
    403: ("not_allowed", "This is not allowed."),
    404: (
        "not_found",
        "There is nothing at this address. An ID in an address is a UUID, not a slug or an ID of your own.",
    ),
    405: ("method_not_allowed", "This address does not take that method."),
    413: ("too_much", "The body is too large."),
}
# By SQLSTATE, not by constraint name, which shards of a distributed table rename.
SQLSTATES: dict[str, tuple[int, str, str]] = {
    "23505": (409, "already_exists", "Something like this already exists."),
    "23503": (409, "conflict", "Something that this refers to was deleted meanwhile."),
    "23514": (422, "invalid", "A value is outside what the database allows."),
    "22001": (422, "invalid", "A text is too long."),
    "22003": (422, "invalid", "A number is too large."),
    "22021": (422, "invalid", "A text holds characters that can't be kept."),
    "22P05": (422, "invalid", "A text holds characters that can't be kept."),
    "25006": (
        503,
        "database_read_only",
        "The database takes no writes just now, perhaps during a failover. Nothing was kept. Send it again.",
    ),
    DISK_FULL: (
        503,
        "database_full",
        "The disk of the database is full. Nothing was kept. Send it again when there is room.",
    ),
    DEADLOCK: (
        503,
        "deadlock",
        "This and another request waited for each other, so the database ended this one. Nothing was kept. "
        "Send it again.",
    ),
    "57014": (
        503,
        "cancelled",
        "The database cancelled this because it took too long. Nothing was kept. Send it again.",
    ),
}
_DATABASE_AWAY = "The database can't be reached, or has no connection free. Try again shortly."
_NODE_AWAY = (
    "The part of the database that holds this relationship, or another that this needs, is away. Relationships on "
    "other parts still work. Each part has a copy of people, companions, keys and documents, so new ones wait until "
    "it, or its standby, is back. Try again shortly."
)


# RFC 9110's names, which Python has since 3.13.
_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}


def title_of(status: int) -> str:
    return _TITLES.get(status) or HTTPStatus(status).phrase


class MalformedBody(errors.InvalidInput):
    """The body can't be read as JSON at all."""

    code = "malformed_body"


class WrongMediaType(errors.RapportError):
    code = "unsupported_media_type"


class LengthRequired(errors.RapportError):
    code = "length_required"


STATUSES |= {MalformedBody: 400, WrongMediaType: 415, LengthRequired: 411}


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    problems: Iterable[FieldProblem] = (),
    headers: dict[str, str] | None = None,
    **extra: Any,
) -> HttpResponse:
    """The answer to a request that failed. `extra`: further members, such as the limit that was exceeded."""
    body = {
        "type": f"urn:rapport:problem:{code}",
        "title": title_of(status),
        "status": status,
        "detail": detail,
        "errors": [{"field": line.field, "detail": line.detail} for line in problems],
        **extra,
    }
    return HttpResponse(
        orjson.dumps(body, default=str), status=status, content_type=CONTENT_TYPE, headers=headers or {}
    )


def problem_response(error: Exception, ctx: dict[str, Any]) -> HttpResponse | None:
    """DRF's exception handler. None: unexpected, so ProblemMiddleware answers and logs it."""
    request = ctx["request"]
    if isinstance(error, errors.RapportError):
        return _of_ours(error, request)
    if isinstance(error, drf.APIException):
        return _of_drf(error)
    return foreseen(error)


def foreseen(error: Exception) -> HttpResponse | None:
    """The problem for expected errors of Django and the database; None for anything else."""
    if isinstance(error, DatabaseError | InterfaceError):
        return _of_database(error)
    return next(
        (plain_problem(status) for kind, status in OF_DJANGO.items() if isinstance(error, kind)), None
    )


def plain_problem(status: int) -> HttpResponse:
    """The problem for a status about which nothing more is known."""
    return problem(status, *PLAIN.get(status, ("error", "This did not work.")))


def _of_ours(error: errors.RapportError, request: HttpRequest | Request) -> HttpResponse:
    status = next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), 400)
    if isinstance(error, errors.StaleVersion) and "If-Match" in request.headers:
        status = 412
    wait = {"Retry-After": str(error.extra["retry_after"])} if "retry_after" in error.extra else {}
    return problem(status, error.code, error.detail, problems=error.problems, headers=wait, **error.extra)


def _of_drf(error: drf.APIException) -> HttpResponse:
    headers: dict[str, str] = {}
    if isinstance(error, drf.NotAuthenticated | drf.AuthenticationFailed):
        headers["WWW-Authenticate"] = 'Bearer realm="rapport"'
    code = {405: "method_not_allowed", 415: "unsupported_media_type"}.get(error.status_code)
    code = code or getattr(error.detail, "code", None) or error.default_code
    detail = SEND_KEY if isinstance(error, drf.NotAuthenticated) else str(error.detail)
    return problem(error.status_code, code, detail, headers=headers)


def _of_database(error: Exception) -> HttpResponse | None:
    known = SQLSTATES.get(sqlstate(error))
    if known:
        return problem(*known, headers=_SHORTLY if known[0] == 503 else None)
    if node_went_away(error):
        return problem(503, "node_unavailable", _NODE_AWAY, headers={"Retry-After": "5"})
    if database_went_away(error):
        return problem(503, "database_unavailable", _DATABASE_AWAY, headers=_SHORTLY)
    return None
