import logging

import pytest


def test_a_pool_says_once_in_a_while_that_the_database_is_away(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("psycopg.pool")

    for attempt in range(20):
        log.warning("error connecting in a test's %r: %s", "pool-1", f"refused {attempt}")
    log.warning("discarding a test's connection: %s", "it was closed")

    assert [record.getMessage() for record in caplog.records] == [
        "error connecting in a test's 'pool-1': refused 0",
        "discarding a test's connection: it was closed",
    ]


def test_so_does_django_of_requests_in_vain_and_of_each_other_failure(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = logging.getLogger("django.request")

    for number in range(3):
        for status in (503, 500):
            log.error("%s: %s", status, f"/{number}", extra={"status_code": status})

    assert [record.getMessage() for record in caplog.records] == ["503: /0", "500: /0", "500: /1", "500: /2"]
