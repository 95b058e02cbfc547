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
