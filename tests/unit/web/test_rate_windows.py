from datetime import timedelta
from uuid import uuid4

import pytest
from django.db.models import F
from django.utils import timezone

from config.rates import Rate
from web.models import RateWindow
from web.rate_windows import drop_ended_windows, take_share

pytestmark = pytest.mark.django_db

RATE = Rate(100, 60)


def test_shares_are_granted_until_the_quota_is_taken() -> None:
    holder = uuid4()

    grants = [take_share(holder=holder, name="turns", rate=Rate(150, 60)) for _ in range(76)]

    assert [grant.granted for grant in grants] == [2] * 75 + [0]
    assert [grant.taken for grant in grants] == [*range(2, 152, 2), 150]
    assert len({grant.window for grant in grants}) == 1
    assert 55 < grants[-1].seconds_left <= grants[0].seconds_left <= 60


def test_a_limit_below_what_was_taken_grants_nothing_and_takes_nothing_back() -> None:
    holder = uuid4()
    for _ in range(5):
        take_share(holder=holder, name="turns", rate=RATE)

    grant = take_share(holder=holder, name="turns", rate=Rate(3, 60))

    assert (grant.granted, grant.taken) == (0, 5)


@pytest.mark.parametrize("passed", [60, 3600], ids=["just over", "long over"])
def test_the_next_request_after_a_window_begins_a_new_one(passed: int) -> None:
    holder = uuid4()
    first = take_share(holder=holder, name="turns", rate=RATE)
    RateWindow.objects.update(ends_at=F("ends_at") - timedelta(seconds=passed))

    second = take_share(holder=holder, name="turns", rate=RATE)

    assert second.taken == 1
    assert second.window > first.window
    assert second.seconds_left == 60


def test_a_limit_over_another_time_begins_a_new_window() -> None:
    """Else a limit that was a day's would be tomorrow's still, after it was made a minute's."""
    holder = uuid4()
    take_share(holder=holder, name="turns", rate=Rate(1, 86_400))

    grant = take_share(holder=holder, name="turns", rate=Rate(5, 60))

    assert (grant.granted, grant.seconds_left) == (1, 60)


def test_only_windows_that_are_over_are_dropped() -> None:
    take_share(holder=uuid4(), name="turns", rate=RATE)
    take_share(holder=uuid4(), name="turns", rate=Rate(1, 3600))

    assert drop_ended_windows(timezone.now() + timedelta(seconds=61)) == 1
    assert RateWindow.objects.get().seconds == 3600
