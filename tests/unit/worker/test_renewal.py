import threading

import pytest
from django.db import OperationalError
from pytest_django.fixtures import Settings

from tests.waiting import wait_until
from worker.leases import renewing

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def short_leases(settings: Settings) -> None:
    settings.LEASE_SECONDS = 0.03


def renewing_threads() -> int:
    return sum(thread.name == "leases" for thread in threading.enumerate())


def test_all_leases_of_a_process_are_renewed_again_and_again_by_one_thread() -> None:
    renewals: list[tuple[int, int]] = []

    def renew(lease: int) -> bool:
        renewals.append((lease, renewing_threads()))
        return True

    with renewing(lambda: renew(1)), renewing(lambda: renew(2)):
        wait_until(
            lambda: [lease for lease, _ in renewals].count(2) >= 3, what="three renewals of the second"
        )
    after = len(renewals)
    wait_until(lambda: renewing_threads() == 0, what="the thread to end")

    assert {lease for lease, _ in renewals} == {1, 2}
    assert {threads for _, threads in renewals} == {1}
    assert len(renewals) == after


def test_a_lease_that_is_lost_is_not_asked_for_any_more() -> None:
    renewals: list[int] = []

    def renew() -> bool:
        renewals.append(1)
        return False

    with renewing(renew):
        wait_until(lambda: renewals and renewing_threads() == 0, what="its end")

    assert renewals == [1]


@pytest.mark.parametrize("error", [OperationalError("away"), RuntimeError("can't start new thread")])
def test_who_could_not_be_asked_for_a_moment_is_asked_again(error: Exception) -> None:
    renewals: list[int] = []

    def renew() -> bool:
        renewals.append(1)
        if len(renewals) == 1:
            raise error
        return True

    with renewing(renew):
        wait_until(lambda: len(renewals) >= 2, what="the renewal after the failed one")


def test_a_block_does_not_end_while_its_lease_is_being_renewed() -> None:
    begun, may_end = threading.Event(), threading.Event()
    renewed: list[bool] = []

    def renew() -> bool:
        begun.set()
        renewed.append(may_end.wait(10))
        return True

    with renewing(renew):
        assert begun.wait(10)
        threading.Timer(0.05, may_end.set).start()

    assert renewed == [True]


def test_what_the_block_raises_comes_out_and_the_renewals_end() -> None:
    with pytest.raises(ValueError, match="a mistake"), renewing(lambda: True):
        raise ValueError("a mistake")

    wait_until(lambda: renewing_threads() == 0, what="the thread to end")
