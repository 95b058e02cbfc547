import json

import pytest
from django.db import DataError, IntegrityError, InterfaceError, InternalError, OperationalError
from django.http import Http404
from django.test import RequestFactory
from rest_framework import exceptions as drf

from web import errors
from web.problems import MalformedBody, foreseen, problem, problem_response


class Invented(errors.Gone):
    code = "invented"


def answered(error: Exception, **headers: str) -> tuple[int, str]:
    request = RequestFactory().get("/v1/x", headers=headers)
    response = problem_response(error, {"request": request})
    assert response is not None
    assert response.headers["Content-Type"] == "application/problem+json"
    return response.status_code, json.loads(response.content)["type"].rsplit(":", 1)[1]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (errors.InvalidInput("no"), 422, "invalid"),
        (errors.InvalidConfiguration([errors.FieldProblem("a.b", "no")]), 422, "invalid_configuration"),
        (MalformedBody("no"), 400, "malformed_body"),
        (errors.NotFound("no"), 404, "not_found"),
        (errors.Gone("no"), 410, "gone"),
        (Invented("no"), 410, "invented"),
        (errors.AlreadyExists("no"), 409, "already_exists"),
        (errors.Conflict("no"), 409, "conflict"),
        (errors.IdempotencyMismatch("no"), 422, "idempotency_mismatch"),
        (errors.NotAllowed("no"), 403, "not_allowed"),
        (errors.TooMuch("no"), 413, "too_much"),
        (errors.RapportError("no"), 400, "error"),
        (drf.NotAuthenticated(), 401, "not_authenticated"),
        (drf.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
        (Http404(), 404, "not_found"),
    ],
)
def test_each_error_has_its_status(error: Exception, status: int, code: str) -> None:
    assert answered(error) == (status, code)


def test_a_stale_version_is_412_only_where_the_request_named_one() -> None:
    assert answered(errors.StaleVersion("no")) == (409, "stale_version")
    assert answered(errors.StaleVersion("no"), if_match='"1"') == (412, "stale_version")


def of_database(kind: type[Exception], state: str | None) -> Exception:
    cause = Exception("driver")
    cause.sqlstate = state  # type: ignore[attr-defined]
    error = kind("Key (content)=(Maya's secret) already exists")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("kind", "state", "status"),
    [
        (IntegrityError, "23505", 409),
        (IntegrityError, "23503", 409),
        (IntegrityError, "23514", 422),
        (DataError, "22001", 422),
        (DataError, "22P05", 422),
        (OperationalError, "57P01", 503),
        (OperationalError, "40P01", 503),
        (InternalError, "25006", 503),
        (OperationalError, None, 503),
        (InterfaceError, None, 503),
    ],
)
def test_the_database_is_answered_by_sqlstate(kind: type[Exception], state: str | None, status: int) -> None:
    response = foreseen(of_database(kind, state))

    assert response is not None
    assert response.status_code == status
    assert b"secret" not in response.content


def test_what_nobody_foresaw_is_left_to_the_middleware() -> None:
    assert foreseen(RuntimeError("x")) is None
    assert foreseen(of_database(IntegrityError, "99999")) is None
    assert foreseen(of_database(OperationalError, "54011")) is None  # it is there; the statement was ours


def test_a_problem_names_fields_and_carries_what_else_there_is() -> None:
    response = problem(413, "too_much", "Too long.", problems=[errors.FieldProblem("a", "long")], limit=7)

    assert json.loads(response.content) == {
        "type": "urn:rapport:problem:too_much",
        "title": "Content Too Large",
        "status": 413,
        "detail": "Too long.",
        "errors": [{"field": "a", "detail": "long"}],
        "limit": 7,
    }
