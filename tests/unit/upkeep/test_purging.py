"""What the command asks and says, and where a purge can't go. (What it does to the files: tests/integration/test_purge.py.)"""

import io
from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from upkeep.purging import purge_files


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


@pytest.mark.parametrize("answered", ["no\n", "\n", ""], ids=["no", "nothing", "nobody-there"])
def test_without_a_yes_nothing_is_done(answered: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(answered))

    with pytest.raises(CommandError, match=r"Nothing was done\. .*--yes"):
        call_command("purge")


@pytest.mark.django_db(transaction=True)
def test_an_older_transaction_is_named_and_nothing_purged() -> None:
    other = connection.copy()
    other.set_autocommit(False)
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_current_xact_id(), pg_backend_pid()")
        pid = cursor.fetchone()[1]
    try:
        with pytest.raises(CommandError, match=f"{pid}.* Nothing was purged"):
            call_command("purge", yes=True, patience=0)
    finally:
        other.rollback()
        other.close()
