"""Two `RateCounters` stand for two web processes: nothing but the database is between them."""

from threading import Barrier, Thread
from uuid import UUID, uuid4

import pytest
from django.db import connection

from config.rates import Rate
from web import rate_counters
from web.rate_counters import RateCounters
from web.rate_windows import Grant

KEY, OTHER = UUID(int=1), UUID(int=2)


class Book:
    """What the database would keep, for windows that begin at 0, 60, ... of `clock`."""

    def __init__(self, share: int) -> None:
        self.share, self.asked, self.time = share, 0, 0.0
        self.taken: dict[tuple[UUID, float], int] = {}

    def clock(self) -> float:
        return self.time

    def take_share(self, *, holder: UUID, name: str, rate: Rate) -> Grant:
        self.asked += 1
        end = self.time // rate.seconds * rate.seconds + rate.seconds
        taken = self.taken.get((holder, end), 0)
        granted = max(0, min(self.share, rate.quota - taken))
        self.taken[holder, end] = taken + granted
        return Grant(granted, taken + granted, end, end - self.time)


def process(book: Book) -> RateCounters:
    return RateCounters(book.take_share, book.clock)


def allowed(process: RateCounters, times: int, rate: Rate, holder: UUID = KEY) -> int:
    return sum(process.take(holder, "requests", rate).allowed for _ in range(times))


@pytest.mark.django_db
def test_while_the_database_takes_no_writes_what_reads_is_not_refused() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")

    assert RateCounters().take(KEY, "requests", Rate(1, 60)).allowed


def test_the_database_is_asked_once_a_share_and_once_about_the_end() -> None:
    book = Book(share=10)

    assert allowed(process(book), 500, Rate(100, 60)) == 100
    assert book.asked == 10


def test_who_is_refused_costs_no_statement_until_the_window_ends() -> None:
    book = Book(share=10)
    one, other = process(book), process(book)
    allowed(one, 100, Rate(100, 60))

    assert allowed(other, 1000, Rate(100, 60)) == 0
    assert book.asked == 10 + 1
    book.time = 60.0
    assert allowed(other, 5, Rate(100, 60)) == 5


def test_a_verdict_says_what_is_left_and_for_how_long() -> None:
    book = Book(share=10)
    one = process(book)
    book.time = 45.0

    left = [one.take(KEY, "requests", Rate(12, 60)) for _ in range(13)]

    assert [verdict.remaining for verdict in left] == [*range(11, -1, -1), 0]
    assert {verdict.seconds for verdict in left} == {15.0}
    assert (left[-1].allowed, left[-1].first_refusal) == (False, True)
    assert not one.take(KEY, "requests", Rate(12, 60)).first_refusal


def test_a_higher_limit_holds_at_once_and_a_lower_one_too() -> None:
    book = Book(share=10)
    one = process(book)

    assert allowed(one, 20, Rate(10, 60)) == 10
    assert allowed(one, 100, Rate(30, 60)) == 20
    assert allowed(one, 20, Rate(10, 60)) == 0


def test_what_is_held_of_windows_that_are_over_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_counters, "_TIDY_AT", 8)
    book = Book(share=1)
    one = process(book)
    for _ in range(50):
        one.take(uuid4(), "requests", Rate(5, 60))
        book.time += 30.0

    assert len(one._held) <= 16


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("quota", [7, 100, 600])
def test_two_processes_of_many_threads_let_just_the_limit_through(quota: int) -> None:
    processes, holder, rate = [RateCounters(), RateCounters()], uuid4(), Rate(quota, 3600)
    together, passed = Barrier(16), []

    def ask(process: RateCounters) -> None:
        together.wait()
        passed.append(allowed(process, 100, rate, holder))
        connection.close()

    threads = [Thread(target=ask, args=[processes[place % 2]]) for place in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(passed) == quota
