"""Damage the database behind the services' backs, like a crash, a restore or an edit by hand."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection

from upkeep.verification import Report, verify


def run(statement: str, *told: Any) -> int:
    """Run a statement; return how many rows it changed."""
    with connection.cursor() as cursor:
        cursor.execute(statement, told or None)
        return int(cursor.rowcount)


@contextmanager
def unguarded() -> Iterator[None]:
    """Disable triggers and foreign keys, like `pg_restore --disable-triggers`."""
    run("SET LOCAL session_replication_role = replica")
    yield
    run("SET LOCAL session_replication_role = origin")


def problems(report: Report) -> dict[str, int]:
    """The number of findings per problem: {"histories/differs": 1}."""
    return {f"{tally.invariant}/{tally.problem.slug}": tally.found for tally in report.tallies.values()}


def check_whole() -> None:
    """Check that nothing is wrong."""
    assert problems(verify()) == {}


def check_mended(found: Sequence[str]) -> Report:
    """Check that exactly these problems are found; that --repair mends the first; and that then nothing is wrong."""
    assert set(problems(verify())) == set(found)
    report = verify(repair=True)
    assert found[0] in problems(report), "it names what it mends"
    assert report.holds, list(report.lines())
    check_whole()
    return report


def check_left(found: Sequence[str]) -> Report:
    """Check that exactly these problems are found, and are still there after --repair, with what to do."""
    assert set(problems(verify())) == set(found)
    report = verify(repair=True)
    assert not report.holds
    left = {f"{tally.invariant}/{tally.problem.slug}" for tally in report.tallies.values() if tally.left}
    assert left == set(found)
    assert all(tally.problem.remedy for tally in report.tallies.values() if tally.left)
    assert set(problems(verify())) == set(found)
    return report
