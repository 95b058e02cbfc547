import threading

import pytest

from providers.errors import HeldBack, ProviderUnavailable, RateLimited
from providers.limits import CallLimits
from tests.waiting import wait_until


@pytest.fixture
def clock() -> list[float]:
    return [100.0]


@pytest.fixture
def provider(clock: list[float]) -> CallLimits:
    return CallLimits(0, clock=lambda: clock[0])


def refuse(of: CallLimits, retry_after: float | None) -> None:
    with pytest.raises(RateLimited), of.call(patience=10):
        raise RateLimited(retry_after=retry_after)


def asked(of: CallLimits) -> bool:
    try:
        with of.call(patience=10):
            return True
    except HeldBack:
        return False


def test_one_refusal_holds_back_all_callers_until_the_named_time(
    clock: list[float], provider: CallLimits
) -> None:
    refuse(provider, 5.0)

    clock[0] = 104.9
    with pytest.raises(HeldBack) as caught, provider.call(patience=10):
        pytest.fail("the provider was asked")
    assert caught.value.retry_after == pytest.approx(0.1)
    assert caught.value.counts is False

    clock[0] = 105.0
    assert asked(provider)


def test_a_refusal_without_a_time_holds_back_for_longer_each_time_and_an_answer_ends_that(
    clock: list[float], provider: CallLimits
) -> None:
    pauses = []
    for _ in range(3):
        refuse(provider, None)
        started = clock[0]
        while not asked_without_answer(provider):
            clock[0] += 0.5
        pauses.append(clock[0] - started)

    assert pauses == [1.0, 2.0, 4.0]
    assert asked(provider)
    refuse(provider, None)
    clock[0] += 1.0
    assert asked(provider)


def asked_without_answer(of: CallLimits) -> bool:
    """Whether a call is made; it brings no answer."""
    try:
        with of.call(patience=10):
            raise ProviderUnavailable
    except HeldBack:
        return False
    except ProviderUnavailable:
        return True


def test_the_longest_pause_is_ten_minutes(clock: list[float], provider: CallLimits) -> None:
    refuse(provider, 1e9)
    clock[0] += 600.0

    assert asked(provider)


def test_no_more_calls_are_made_at_once_than_allowed() -> None:
    provider, go_on = CallLimits(2), threading.Event()
    under_way: list[int] = []

    def call() -> None:
        with provider.call(patience=10):
            under_way.append(1)
            assert go_on.wait(10)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(under_way) == 2, what="two calls")
    assert provider._slots is not None
    assert provider._slots.acquire(blocking=False) is False
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert len(under_way) == 3


def test_nobody_waits_longer_for_others_than_a_call_may_take() -> None:
    provider = CallLimits(1)

    with provider.call(patience=10):
        with pytest.raises(HeldBack) as caught, provider.call(patience=0.01):
            pytest.fail("the provider was asked")
        assert caught.value.counts is False
    assert asked(provider)


def test_a_refusal_also_holds_back_those_who_wait_for_others() -> None:
    looks: list[None] = []
    said: list[bool] = []

    def clock() -> float:
        looks.append(None)
        return 100.0

    provider, refused = CallLimits(1, clock=clock), threading.Event()

    def refuse_later() -> None:
        with pytest.raises(RateLimited), provider.call(patience=10):
            looks.clear()
            assert refused.wait(10)
            raise RateLimited(retry_after=60)

    threads = [threading.Thread(target=refuse_later)]
    threads[0].start()
    wait_until(lambda: provider._slots and provider._slots._value == 0 and not looks, what="the first call")
    threads.append(threading.Thread(target=lambda: said.append(asked(provider))))
    threads[1].start()
    wait_until(lambda: looks, what="the second, which looks whether it may ask, and then waits")
    refused.set()
    for thread in threads:
        thread.join(10)

    assert said == [False]
