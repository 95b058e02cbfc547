import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from uuid import UUID, uuid4

import pytest

from providers.errors import HeldBack, ProviderTimeout, ProviderUnavailable
from web.outgoing import OutgoingTimeout
from worker.silence import OWN_ADDRESSES, SILENT_SECONDS, CallsInFlight

ONE, ANOTHER = uuid4(), uuid4()
READERS = 8
ALL = range(READERS)
MANY = 3 * READERS


@pytest.fixture
def clock() -> list[float]:
    return [1000.0]


@pytest.fixture
def calls(clock: list[float]) -> CallsInFlight:
    return CallsInFlight(READERS, clock=lambda: clock[0])


@pytest.fixture
def in_flight() -> Iterator[ExitStack]:
    with ExitStack() as made:
        yield made


def begin(calls: CallsInFlight, in_flight: ExitStack, many: range, *, project: UUID = ONE) -> None:
    for _ in many:
        in_flight.enter_context(calls.call(project, "slow", patience=0))


def may_begin(calls: CallsInFlight, *, project: UUID = ONE, provider: str = "slow") -> bool:
    try:
        with calls.call(project, provider, patience=0):
            return True
    except HeldBack:
        return False


def fail(calls: CallsInFlight, error: type[Exception], *, most: int = MANY, place: str = "slow") -> int:
    """Begin as many calls as may begin, and let all fail. How many these were."""
    began = 0
    with pytest.raises(error), ExitStack() as made:
        with suppress(HeldBack):
            while began < most:
                made.enter_context(calls.call(ONE, place, patience=0))
                began += 1
        raise error("")
    return began


def test_silent_calls_hold_half_of_the_readers_at_most(
    calls: CallsInFlight, clock: list[float], in_flight: ExitStack
) -> None:
    begin(calls, in_flight, range(3))
    clock[0] += SILENT_SECONDS + 1
    assert calls.silent() == 3

    begin(calls, in_flight, range(1))
    assert not may_begin(calls)
    assert may_begin(calls, project=ANOTHER)
    assert may_begin(calls, provider="another")


def test_all_readers_may_wait_while_answers_come(
    calls: CallsInFlight, clock: list[float], in_flight: ExitStack
) -> None:
    begin(calls, in_flight, ALL)
    clock[0] += SILENT_SECONDS - 1
    assert may_begin(calls)

    clock[0] += SILENT_SECONDS - 1
    assert calls.silent() == 0
    assert may_begin(calls)

    clock[0] += SILENT_SECONDS + 1
    assert calls.silent() == READERS


def test_a_process_without_readers_holds_no_call_back(clock: list[float], in_flight: ExitStack) -> None:
    calls = CallsInFlight(clock=lambda: clock[0])
    begin(calls, in_flight, range(MANY))
    clock[0] += SILENT_SECONDS + 1

    assert may_begin(calls)


def test_a_slow_model_is_not_silent_after_its_first_answer(calls: CallsInFlight, clock: list[float]) -> None:
    with calls.call(ONE, "slow"):
        clock[0] += 30
    with ExitStack() as later:
        begin(calls, later, ALL)
        clock[0] += 59
        assert calls.silent() == 0
        clock[0] += 2
        assert calls.silent() == READERS


@pytest.mark.parametrize("timeout", [ProviderTimeout, OutgoingTimeout])
def test_each_timeout_halves_the_share_down_to_one_call_and_an_answer_restores_it(
    calls: CallsInFlight, timeout: type[Exception]
) -> None:
    assert fail(calls, timeout, most=1) == 1
    assert fail(calls, timeout) == 2
    assert fail(calls, timeout) == 1
    assert fail(calls, HeldBack) == 1, "nobody was asked"
    assert fail(calls, timeout) == 1

    assert fail(calls, ProviderUnavailable) == 1, "a refusal is an answer, too"
    assert fail(calls, timeout) == MANY


def test_calls_to_a_projects_own_addresses_hold_half_of_the_readers_at_most_even_while_they_are_answered(
    calls: CallsInFlight, clock: list[float]
) -> None:
    for _ in range(3):
        with ExitStack() as made:
            for _ in range(READERS // 2):
                made.enter_context(calls.call(ONE, OWN_ADDRESSES, patience=0))
            assert not may_begin(calls, provider=OWN_ADDRESSES)
            assert may_begin(calls, provider=OWN_ADDRESSES, project=ANOTHER)
            clock[0] += SILENT_SECONDS - 1


def test_timeouts_of_a_projects_own_addresses_halve_its_share_too(calls: CallsInFlight) -> None:
    assert fail(calls, OutgoingTimeout, most=1, place=OWN_ADDRESSES) == 1
    assert fail(calls, OutgoingTimeout, place=OWN_ADDRESSES) == READERS // 4
    assert fail(calls, OutgoingTimeout, place=OWN_ADDRESSES) == 1
    assert may_begin(calls, provider=OWN_ADDRESSES)
    assert fail(calls, OutgoingTimeout, place=OWN_ADDRESSES) == READERS // 2


def test_a_call_that_is_held_back_waits_a_moment_for_an_answer(calls: CallsInFlight) -> None:
    assert fail(calls, ProviderTimeout, most=READERS) == READERS
    begun = threading.Event()

    def wait() -> None:
        with calls.call(ONE, "slow", patience=10):
            begun.set()

    with calls.call(ONE, "slow"):
        waiting = threading.Thread(target=wait)
        waiting.start()
        assert not begun.wait(0.05)
    assert begun.wait(10)
    waiting.join()


def test_who_is_held_back_is_told_why_and_until_when_and_has_not_failed(
    calls: CallsInFlight, clock: list[float], in_flight: ExitStack
) -> None:
    begin(calls, in_flight, range(4))
    clock[0] += 30

    with pytest.raises(
        HeldBack, match="earlier calls still wait for their answers, the oldest for 30 s"
    ) as caught:
        in_flight.enter_context(calls.call(ONE, "slow", patience=0))

    assert (caught.value.retry_after, caught.value.counts) == (30, False)


def test_projects_whose_models_answer_are_forgotten_when_there_are_many(calls: CallsInFlight) -> None:
    for _ in range(3000):
        with calls.call(uuid4(), "fast"):
            pass

    assert len(calls._calls) <= 1000
