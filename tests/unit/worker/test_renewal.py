import threading

import pytest
from django.db import OperationalError
from pytest_django.fixtures import Settings

from tests.waiting import wait_until
from worker.leases import renewing


@pytest.fixture(autouse=True)
def short_leases(settings: Settings) -> None:
    settings.LEASE_SECONDS = 0.03


def test_a_lease_is_renewed_again_and_again_while_the_block_runs() -> None:
    renewals: list[str] = []

    def renew() -> bool:
        renewals.append(threading.current_thread().name)
        return True

    with renewing(renew):
        wait_until(lambda: len(renewals) >= 3, what="three renewals")
    after = len(renewals)

    assert set(renewals) == {"lease"}
    assert "lease" not in {thread.name for thread in threading.enumerate()}
    assert len(renewals) == after


def test_a_lease_that_is_lost_is_not_asked_for_any_more() -> None:
    renewals: list[int] = []

    def renew() -> bool:
        renewals.append(1)
        return False

    with renewing(renew):
        wait_until(lambda: "lease" not in {thread.name for thread in threading.enumerate()}, what="its end")

    assert renewals == [1]


def test_a_database_that_is_away_for_a_moment_is_asked_again() -> None:
    renewals: list[int] = []

    def renew() -> bool:
        renewals.append(1)
        if len(renewals) == 1:
            raise OperationalError("away")
        return True

    with renewing(renew):
        wait_until(lambda: len(renewals) >= 2, what="the renewal after the failed one")


def test_what_the_block_raises_comes_out_and_the_renewals_end() -> None:
    with pytest.raises(ValueError, match="a mistake"), renewing(lambda: True):
        raise ValueError("a mistake")

    assert "lease" not in {thread.name for thread in threading.enumerate()}
