"""What the command asks and says, and where a purge can't go. (What it does to the files: tests/integration/test_purge.py.)"""

import io
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, transaction

from config.postgresql.sessions import execute
from relationships.models import Project
from tests.waiting import wait_until
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
    told: dict[str, float] = {}
    remarks = purge_files(told=lambda share, now: told.update({now: share}))

    assert sum(told.values()) == pytest.approx(1)
    assert {"waiting for transactions that began earlier", "rewriting memory_modelcall"} <= told.keys()
    assert any("statistics" in remark and "superuser" in remark for remark in remarks)
    assert any("write-ahead log" in remark and "superuser" in remark for remark in remarks)


@pytest.mark.parametrize("answered", ["no\n", "\n", ""], ids=["no", "nothing", "nobody-there"])
def test_without_a_yes_nothing_is_done(answered: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(answered))

    with pytest.raises(CommandError, match=r"Nothing was done\. .*--yes"):
        call_command("purge")


@contextmanager
def open_transaction(statement: str, *, database: str | None = None) -> Iterator[int]:
    """Another session whose transaction has made `statement` and does not end. Yields its process ID."""
    other = connection.copy()
    other.settings_dict = other.settings_dict | {"NAME": database or other.settings_dict["NAME"]}
    other.set_autocommit(False)
    try:
        with other.cursor() as cursor:
            cursor.execute(statement)
            cursor.execute("SELECT pg_backend_pid()")
            yield cursor.fetchone()[0]
    finally:
        other.rollback()
        other.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "statement", ["SELECT pg_current_xact_id()", "SELECT 1 FROM relationships_turn"], ids=["writes", "reads"]
)
def test_an_older_transaction_is_named_and_nothing_purged(statement: str) -> None:
    do("SET lock_timeout = '5s'")  # a reader's lock would be waited for without an end
    try:
        with (
            open_transaction(statement) as pid,
            pytest.raises(CommandError, match=f"{pid}.* Nothing was purged"),
        ):
            call_command("purge", yes=True, patience=0)
    finally:
        do("RESET lock_timeout")


@pytest.mark.django_db(transaction=True)
def test_one_that_is_cut_short_leaves_the_planner_its_statistics() -> None:
    had = "SELECT count(*) FROM pg_stats WHERE tablename = 'relationships_project'"
    Project.objects.create(name="Mine")
    do("ANALYZE")
    before = execute(had)
    do("SET lock_timeout = '100ms'")
    try:
        with (
            open_transaction("LOCK pg_catalog.pg_subscription IN ACCESS SHARE MODE", database="postgres"),
            pytest.raises(OperationalError, match="lock timeout"),
        ):
            purge_files()
        assert execute(had) == before > [(0,)]
    finally:
        do("RESET lock_timeout")


class Enough(Exception):
    """The rest need not be purged."""


@pytest.mark.django_db(transaction=True)
def test_a_table_for_which_two_sessions_wait_for_each_other_is_rewritten_after_all() -> None:
    """As when two purge at once. The other session is patient, so that the server ends the purge's statement."""
    locked, others = threading.Event(), list[Future[None]]()

    def cross(table: str) -> None:
        try:
            with transaction.atomic():
                execute("SET LOCAL deadlock_timeout = '1min'")
                execute("LOCK pg_class IN EXCLUSIVE MODE")
                locked.set()
                waits = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'pg_class'::regclass"
                wait_until(lambda: execute(waits), what="the purge to wait")
                execute(f"SELECT 1 FROM {table} LIMIT 1")
        finally:
            connection.close()

    def told(share: float, *, now: str) -> None:
        if others:
            raise Enough
        if table := now.partition("rewriting ")[2]:
            others.append(pool.submit(cross, table))
            locked.wait(10)

    with ThreadPoolExecutor(1) as pool, pytest.raises(Enough):
        purge_files(told=told)
    others[0].result()
