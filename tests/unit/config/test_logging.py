import json
import logging
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import structlog
from django.core.handlers.exception import response_for_exception
from django.test import RequestFactory

from config.logging import logging_config


@pytest.mark.parametrize("name", ["psycopg.pool", "opentelemetry.exporter.otlp.proto.http.trace_exporter"])
def test_who_connects_says_once_in_a_while_that_the_other_side_is_away(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    log = logging.getLogger(name)

    for attempt in range(20):
        log.warning(f"{name}: error connecting %r: %s", "pool-1", f"refused {attempt}")
    log.warning(f"{name}: discarding a connection: %s", "it was closed")

    assert [record.getMessage() for record in caplog.records] == [
        f"{name}: error connecting 'pool-1': refused 0",
        f"{name}: discarding a connection: it was closed",
    ]


def test_so_does_django_of_requests_in_vain_and_of_each_other_failure(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = logging.getLogger("django.request")

    for number in range(3):
        for status in (503, 500):
            log.error("a test's %s: %s", status, f"/{number}", extra={"status_code": status})
    for route in ("readyz", "readyz/worker", "metrics"):
        asked = SimpleNamespace(resolver_match=SimpleNamespace(route=route))
        log.error("a probe's answer", extra={"status_code": 503, "request": asked})

    assert [record.getMessage() for record in caplog.records] == [
        f"a test's {line}" for line in ("503: /0", "500: /0", "500: /1", "500: /2")
    ]


def test_what_an_unknown_host_asks_is_not_written_anywhere(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    logging.getLogger("django.security.DisallowedHost").error("Invalid HTTP_HOST header: %r.", "maya.example")

    assert (caplog.records, capsys.readouterr().err) == ([], "")


def written(record: logging.LogRecord) -> Any:
    """The line that this record becomes, parsed."""
    ours = structlog.get_config()
    config = logging_config(style="json", level="INFO")["formatters"]["rapport"]
    structlog.configure(**ours)  # loggers that were used before keep its list of processors
    make = config.pop("()")
    return json.loads(make(**config).format(record))


@pytest.mark.parametrize("alone", [False, True], ids=["with its traceback", "by itself"])
def test_a_line_of_another_library_has_of_an_error_only_its_class_and_place(alone: bool) -> None:
    try:
        raise ValueError("Maya is allergic to nuts.")
    except ValueError as error:
        told = f"It failed.\nfuture: <Task finished exception={error!r}>"  # as asyncio writes it
        record = logging.LogRecord("asyncio", logging.ERROR, "", 1, told, (), sys.exc_info())
        record.exc_info = error if alone else record.exc_info  # type: ignore[assignment]

    line = written(record)

    assert (line["event"], line["error_class"]) == ("It failed.", "ValueError")
    assert "test_logging.py" in line["frames"][-1]
    assert "Maya" not in str(line)


@pytest.mark.parametrize(("level", "frames"), [("warning", False), ("error", True)])
def test_a_line_of_ours_has_of_an_error_only_its_class_and_of_a_crash_its_place(
    level: str, frames: bool, caplog: pytest.LogCaptureFixture
) -> None:
    try:
        raise ValueError("Maya is allergic to nuts.")
    except ValueError as error:
        getattr(structlog.get_logger("ours"), level)("It failed.", exc_info=error)

    line = written(caplog.records[-1])

    assert (line["event"], line["error_class"], "frames" in line) == ("It failed.", "ValueError", frames)
    assert "Maya" not in str(line)


@pytest.mark.parametrize(
    ("known", "where"), [(True, "/v1/users/<external_id>"), (False, "an unknown address")]
)
def test_a_line_of_djangos_has_of_a_request_its_route_and_not_what_its_path_names(
    known: bool, where: str, caplog: pytest.LogCaptureFixture
) -> None:
    request = RequestFactory().get("/v1/users/maya?email=maya@example.com")
    request.resolver_match = known and SimpleNamespace(route="v1/users/<external_id>")  # type: ignore[assignment]
    response_for_exception(request, RuntimeError("Maya"))

    line = written(caplog.records[-1])

    assert (line["event"], line["level"]) == (f"Internal Server Error: GET {where}", "error")
    assert "maya" not in str(line).lower()


def test_a_status_without_a_name_is_told_by_its_number() -> None:
    record = logging.LogRecord("django.request", logging.ERROR, "", 1, "%s: %s", ("", "/v1/users/maya"), None)
    record.status_code, record.request = 520, RequestFactory().get("/v1/users/maya")

    assert written(record)["event"] == "520: GET an unknown address"
