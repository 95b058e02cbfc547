"""What the command asks and says. (What it does to the files: tests/integration/test_purge.py.)"""

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection


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
