"""Where a purge can't go, it says so. (What it does to the files: tests/integration/test_purge.py.)"""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.db import connection

from upkeep.purging import PurgeBlocked, purge_files


def do(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.fixture
def plain_account(transactional_db: None) -> Iterator[None]:
    """From here on this session may do no more than an application's account on somebody's server."""
    role = f"rapport_{uuid4().hex}"  # roles are the server's, and other tests may run there too
    do(f"CREATE ROLE {role}")
    do(f"SET ROLE {role}")
    yield
    do("RESET ROLE")
    do(f"DROP ROLE {role}")


def test_what_only_a_superuser_may_do_is_named(plain_account: None) -> None:
    remarks = purge_files()

    assert any("statistics" in remark and "superuser" in remark for remark in remarks)
    assert any("write-ahead log" in remark and "superuser" in remark for remark in remarks)


@pytest.mark.django_db(transaction=True)
def test_it_waits_for_no_transaction_for_ever() -> None:
    other = connection.copy()
    other.set_autocommit(False)
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_current_xact_id(), pg_backend_pid()")
        pid = cursor.fetchone()[1]
    try:
        with pytest.raises(PurgeBlocked, match=f"still open: .*{pid}"):
            purge_files(patience=0)
    finally:
        other.rollback()
        other.close()
