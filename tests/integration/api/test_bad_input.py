"""Whatever is sent: a 4xx problem that names the field, never a 500, and nothing half-written."""

import gzip
import json
from collections.abc import Callable, Iterator

import psycopg
import pytest
from django.db import OperationalError, connection
from django.test import Client
from pytest_django import Settings

from relationships.models import Companion, EndUser, Relationship
from tests.fixtures.api import Api, ApiAnswer
from web.meters import OWN

PROBLEM = "application/problem+json"
Send = Callable[[bytes], ApiAnswer]


@pytest.fixture
def send(api: Api) -> Iterator[Send]:
    """Send raw bytes as a new user; afterwards none may have been made."""
    yield lambda raw: api.send("POST", "/users", raw)
    assert not EndUser.objects.exists()


def is_problem(answer: ApiAnswer, status: int) -> bool:
    return answer.status == status == answer.body["status"] and answer.headers["Content-Type"] == PROBLEM


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"   ",
        b"{",
        b'{"external_id": }',
        b'{"external_id": "maya"} x',
        b"\xef\xbb\xbf{}",
        b'{"external_id": "\xff\xfe"}',
        b'{"external_id": "\xed\xa0\x80"}',
        b'{"external_id": "a\x00b"}',
        b'{"external_id": "maya", "metadata": {"n": NaN}}',
        b'{"external_id": "maya", "metadata": {"n": -Infinity}}',
        b"\x00" * 100,
    ],
)
def test_what_is_no_json_is_400(send: Send, raw: bytes) -> None:
    assert is_problem(send(raw), 400)


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (rb'{"external_id": "a\u0000b"}', "external_id"),
        (
            rb'{"external_id": "maya", "metadata": {"deep": ["x", {"note": "\u0000"}]}}',
            "metadata.deep.1.note",
        ),
        (rb'{"external_id": "maya", "metadata": {"note": "\ud800"}}', "metadata.note"),
        (rb'{"external_id": "maya", "metadata": {"note": "\udc00\ud800"}}', "metadata.note"),
        (rb'{"external_id": "maya", "metadata": {"a\u0000": 1}}', r"metadata.a\u0000"),
        (rb'{"external_id": "maya", "metadata": {"\ud800": 1}}', r"metadata.\ud800"),
        (b'{"external_id": "maya", "external_id": "noor"}', "external_id"),
        (b'{"external_id": "maya", "metadata": {"a": {"b": 1, "b": 2}}}', "metadata.a.b"),
        (b"[]", "body"),
        (b'"maya"', "body"),
        (b"null", "body"),
        (b"17", "body"),
        (b'{"external_id": 17}', "external_id"),
        (b'{"external_id": null}', "external_id"),
        (b'{"external_id": ""}', "external_id"),
        (b'{"external_id": "a\\nb"}', "external_id"),
        (b'{"external_id": "' + b"x" * 201 + b'"}', "external_id"),
        (b'{"external_id": "maya", "colour": "red"}', "colour"),
        (b'{"external_id": "maya", "ingestion_paused": "yes"}', "ingestion_paused"),
        (b'{"external_id": "maya", "ingestion_paused": 1}', "ingestion_paused"),
        (b'{"external_id": "maya", "metadata": []}', "metadata"),
        (b"{}", "external_id"),
    ],
)
def test_what_can_not_be_kept_is_422_and_names_the_field(send: Send, raw: bytes, field: str) -> None:
    answer = send(raw)

    assert is_problem(answer, 422)
    assert answer.fields == [field]


@pytest.mark.parametrize("number", ["1e400", "1e300", "9" * 30, str(2**63), "-" + "9" * 5000])
def test_a_number_nobody_can_keep_is_refused(send: Send, number: str) -> None:
    answer = send(f'{{"external_id": "maya", "metadata": {{"n": {number}}}}}'.encode())

    assert is_problem(answer, 422)
    assert answer.fields == ["metadata.n"]
    assert "too large" in answer.body["detail"]


def test_the_largest_numbers_come_back_as_they_went(api: Api) -> None:
    numbers = {"low": -(2**63), "high": 2**63 - 1, "small": 1e-300, "float": 0.1}

    made = api.post("/users", {"external_id": "maya", "metadata": numbers})

    assert api.get(f"/users/{made.body['id']}").body["metadata"] == numbers


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("depth", [40, 900, 100_000])
def test_json_that_is_nested_too_deeply_is_refused(send: Send, opening: str, depth: int) -> None:
    closing = {"[": "]", '{"a":': "}"}[opening]
    deep = opening * depth + "1" + closing * depth

    answer = send(f'{{"external_id": "maya", "metadata": {{"deep": {deep}}}}}'.encode())

    assert is_problem(answer, 413)
    assert answer.body["limit"] == 32


def test_a_body_over_the_limit_is_413_and_names_it(api: Api, settings: Settings) -> None:
    raw = json.dumps({"external_id": "maya", "metadata": {"x": "y" * 1_100_000}}).encode()

    answer = api.send("POST", "/users", raw)

    assert is_problem(answer, 413)
    assert answer.body["limit"] == settings.MAX_BODY_BYTES


def test_a_body_over_every_limit_is_413_too(api: Api, settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000

    assert is_problem(api.post("/users", {"external_id": "maya", "metadata": {"x": "y" * 2000}}), 413)


def test_a_body_of_unknown_length_is_411(api: Api) -> None:
    headers = {"Authorization": f"Bearer {api.key}", "Transfer-Encoding": "chunked"}
    response = Client().generic("POST", "/v1/users", b"", headers=headers)

    assert response.status_code == 411


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "",
        "application/json; charset=latin-1",
    ],
)
def test_another_content_type_is_415(api: Api, content_type: str) -> None:
    answer = api.send("POST", "/users", b'{"external_id": "maya"}', content_type)

    assert is_problem(answer, 415)


def test_a_packed_body_is_415_and_not_called_broken_json(api: Api) -> None:
    answer = api.send("POST", "/users", gzip.compress(b'{"external_id": "maya"}'), Content_Encoding="gzip")

    assert is_problem(answer, 415) and "Content-Encoding" in answer.body["detail"]


@pytest.mark.parametrize("path", ["/mcp/relationships/x", "/mem0x", "/git/x.git/HEAD", "/v1x"])
def test_programs_get_problems_at_the_other_doors_too(api: Api, path: str) -> None:
    answer = api.client.get(path)

    assert answer.status_code == 404
    assert answer["Content-Type"].startswith(
        "text/html" if path.endswith("x") and path.count("/") == 1 else "application/"
    )


@pytest.mark.parametrize("content_type", ["application/json; charset=UTF-8", "Application/JSON"])
def test_json_by_another_spelling_is_json(api: Api, content_type: str) -> None:
    assert api.send("POST", "/users", b'{"external_id": "maya"}', content_type).status == 201


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=ten", "limit"),
        ("limit=1.0", "limit"),
        ("limit=", "limit"),
        ("limit=" + "9" * 400, "limit"),
        ("limit=1&limit=2", "limit"),
        ("colour=red", "colour"),
        ("cursor=nonsense", "cursor"),
        ("cursor=", "cursor"),
        ("cursor=%F0%9F%98%80", "cursor"),
        ("cursor=W10", "cursor"),  # []
        ("cursor=WzFd", "cursor"),  # [1], where a pair is due
        ("cursor=WyJhIiwiYiJd", "cursor"),  # ["a","b"]
        ("cursor=WyIyMDI2LTAxLTAxIixbXV0", "cursor"),  # ["2026-01-01",[]]
        ("cursor=WyI5OTk5LTEyLTMxVDIzOjU5OjU5LTEyOjAwIiwiYiJd", "cursor"),  # a time past the year 9999
        ("cursor=" + "A" * 1001, "cursor"),
        ("user=", "user"),
        ("user=" + "x" * 201, "user"),
        ("companion=Ada!", "companion"),
    ],
)
def test_a_wrong_parameter_is_422_and_named(api: Api, query: str, field: str) -> None:
    answer = api.get(f"/relationships?{query}")

    assert is_problem(answer, 422)
    assert answer.fields == [field]


def test_a_parameter_where_none_is_taken_is_refused(api: Api) -> None:
    assert api.get("/project?verbose=1").fields == ["verbose"]


@pytest.mark.parametrize("path", ["/users?external_id=a%00b", "/users/%00", "/a\x00b"])
def test_a_nul_in_the_address_is_400(api: Api, path: str) -> None:
    assert is_problem(api.get(path), 400)


@pytest.mark.parametrize(
    "path", ["/nothing", "/users/17", "/users/0190-", "/relationships/x/profile", "/", "/users/", "/v1/users"]
)
def test_an_unknown_address_is_a_problem_too(api: Api, path: str) -> None:
    answer = api.get(path)
    assert is_problem(answer, 404)
    assert "An ID in an address is a UUID" in answer.body["detail"]


@pytest.mark.parametrize("path", ["/chat/completions", "/relationships", "/V1/users"])
def test_a_program_that_leaves_v1_out_is_told_and_a_browser_is_shown_a_page(db: None, path: str) -> None:
    told = Client().post(path, {}, "application/json", headers={"Accept": "application/json"})
    assert (told.status_code, told.headers["Content-Type"]) == (404, PROBLEM)
    assert "begin with /v1" in told.json()["detail"]
    assert told.json()["error"] == {"message": told.json()["detail"]}  # where OpenAI's clients look

    shown = Client().get(path, headers={"Accept": "text/html,*/*;q=0.8"})
    assert (shown.status_code, b"There is no page at this address." in shown.content) == (404, True)


def test_a_host_we_do_not_serve_is_a_problem(api: Api) -> None:
    assert is_problem(api.get("/project", host="elsewhere.example"), 400)


@pytest.mark.parametrize(
    ("cause", "code", "seconds"),
    [
        (psycopg.OperationalError("connection to server failed"), "database_unavailable", "1"),
        (psycopg.errors.ConnectionFailure("connection to the remote node failed"), "node_unavailable", "5"),
        (psycopg.errors.InternalError_("server closed the connection unexpectedly"), "node_unavailable", "5"),
        (
            psycopg.errors.UndefinedTable('relation "public.memory_replay_102033" does not exist'),
            "node_unavailable",
            "5",
        ),
        (psycopg.errors.InternalError_("could not open relation with OID 17011"), "node_unavailable", "5"),
        (psycopg.errors.DeadlockDetected("deadlock detected"), "deadlock", "1"),
        (psycopg.errors.QueryCanceled("canceling statement due to user request"), "cancelled", "1"),
    ],
)
def test_a_database_that_could_not_go_on_is_503_and_says_why_and_when_to_come_back(
    cause: psycopg.Error, code: str, seconds: str, api: Api, relationship: Relationship
) -> None:
    def away(*_: object) -> None:
        raise OperationalError(str(cause)) from cause

    with connection.execute_wrapper(away):
        answer = api.get(f"/relationships/{relationship.id}")

    assert is_problem(answer, 503)
    assert answer.body["type"] == f"urn:rapport:problem:{code}"
    assert answer.headers["Retry-After"] == seconds


def test_a_crash_is_500_with_an_id_and_without_a_word_of_the_request(
    api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    words, before = "Maya is secretly a spy", OWN.get_sample_value("rapport_web_errors_total") or 0

    def crash(*_: object) -> None:
        raise RuntimeError(words)

    api.client = Client(raise_request_exception=False)
    with connection.execute_wrapper(crash):
        answer = api.get("/companions")

    assert is_problem(answer, 500)
    assert words not in answer.raw.decode()
    assert words not in caplog.text
    assert answer.body["error_id"] in caplog.text
    assert OWN.get_sample_value("rapport_web_errors_total") == before + 1


def test_deep_configuration_of_the_wrong_shape_is_named(api: Api, companion: Companion) -> None:
    wrong = {"context": {"layers": {"memory": {"budget": "lots"}}, "order": "core"}, "recipe": ["x"]}

    answer = api.put(f"/companions/{companion.id}/config", wrong)

    assert is_problem(answer, 422)
    assert set(answer.fields) == {"recipe", "context.layers.memory.budget", "context.order"}
