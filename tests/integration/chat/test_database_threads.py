"""Those who speak have the database in turn, and nobody waits for the one who takes long."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from chat.answering import DATABASE_THREADS, DatabaseThreads
from web.errors import NotFound


@pytest.fixture
def held() -> Iterator[Event]:
    event = Event()
    yield event
    event.set()


def test_who_waits_for_a_lock_holds_up_no_other(held: Event) -> None:
    in_database = DatabaseThreads()
    with ThreadPoolExecutor(DATABASE_THREADS) as speakers:
        try:
            long = [speakers.submit(in_database, lambda: held.wait(60)) for _ in range(DATABASE_THREADS - 1)]

            assert speakers.submit(in_database, lambda: "kept").result(30) == "kept"
            assert not any(one.done() for one in long)
        finally:
            held.set()
        assert all(one.result(30) for one in long)


def test_an_error_is_told_to_the_one_who_asked() -> None:
    def gone() -> None:
        raise NotFound("It is gone.")

    with pytest.raises(NotFound, match=r"It is gone\."):
        DatabaseThreads()(gone)
