from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command
from django.db import connection

from config.management.commands.migrate import LOCK
from config.postgresql.sessions import direct_connection, execute
from tests.waiting import wait_until

_WAITING = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted"


@pytest.mark.django_db(transaction=True)
def test_one_of_two_at_once_waits_for_the_other() -> None:
    def migrate() -> None:
        try:
            call_command("migrate", verbosity=0)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        with direct_connection() as other, other.transaction():
            other.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
            second = thread.submit(migrate)
            wait_until(lambda: execute(_WAITING, [LOCK]), what="the second to wait")
        second.result(timeout=30)
