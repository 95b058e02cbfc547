import pytest
from pytest_django.fixtures import Settings

from relationships.ids import uuid7
from worker.waiting import announce_settled, stop_listening, waiting_place

pytestmark = pytest.mark.django_db(transaction=True)


def test_whoever_waits_is_woken_when_the_turn_is_settled() -> None:
    turn_id = uuid7()

    with waiting_place(turn_id) as place:
        assert place is not None
        announce_settled([turn_id])

        assert place.wait(10) is True


def test_another_turn_wakes_nobody() -> None:
    with waiting_place(uuid7()) as place:
        assert place is not None
        announce_settled([uuid7()])

        assert place.wait(0.05) is False


def test_beyond_the_cap_there_is_no_place_until_one_is_left(settings: Settings) -> None:
    settings.MAX_WAITERS = 1

    with waiting_place(uuid7()) as first, waiting_place(uuid7()) as second:
        assert first is not None
        assert second is None

    with waiting_place(uuid7()) as third:
        assert third is not None


def test_with_no_places_at_all_nobody_listens(settings: Settings) -> None:
    settings.MAX_WAITERS = 0

    with waiting_place(uuid7()) as place:
        assert place is None


def test_after_it_was_stopped_listening_starts_again_with_the_next_waiter() -> None:
    with waiting_place(uuid7()):
        pass
    stop_listening()
    turn_id = uuid7()

    with waiting_place(turn_id) as place:
        assert place is not None
        announce_settled([turn_id])
        assert place.wait(10) is True
