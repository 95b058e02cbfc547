from collections.abc import Callable
from threading import Semaphore, Thread

from web.server.admission import YOUNG_SECONDS, FairQueue, Places


def nothing() -> None:
    pass


def served(queue: FairQueue, count: int) -> list[str]:
    """Whose job is taken, one after the other, each finished before the next."""
    clients = []
    for _ in range(count):
        client, _job = queue.take()
        clients.append(client)
        queue.finished(client)
    return clients


def filled(queue: FairQueue, *clients: str, job: Callable[[], None] = nothing) -> FairQueue:
    for client in clients:
        queue.put(client, job)
    return queue


def test_clients_take_turns_however_many_jobs_one_of_them_has() -> None:
    queue = filled(FairQueue(running_limit=2), "a", "a", "a", "a", "b", "c", "b")

    assert served(queue, 7) == ["a", "b", "c", "a", "b", "a", "a"]


def test_the_jobs_of_one_client_keep_their_order() -> None:
    queue = FairQueue(running_limit=1)
    done: list[int] = []
    for number in range(3):
        queue.put("a", lambda number=number: done.append(number))  # type: ignore[misc]

    for _ in range(3):
        client, job = queue.take()
        job()
        queue.finished(client)

    assert done == [0, 1, 2]


def test_a_client_runs_no_more_at_once_than_it_may_and_goes_on_when_one_ends() -> None:
    queue = filled(FairQueue(running_limit=2), "a", "a", "a", "b")

    assert [queue.take()[0] for _ in range(3)] == ["a", "b", "a"]  # the third of `a` has to wait
    queue.finished("b")
    queue.put("b", nothing)
    assert queue.take()[0] == "b"
    queue.finished("a")
    assert queue.take()[0] == "a"


def test_a_line_may_have_a_limit_of_its_own() -> None:
    queue = FairQueue(running_limit=2)
    for client in ("long", "long", "short"):
        queue.put(client, nothing, limit=1 if client == "long" else None)

    assert [queue.take()[0], queue.take()[0]] == ["long", "short"]  # the second long one has to wait
    queue.finished("long")
    assert queue.take()[0] == "long"


def test_a_client_without_a_job_is_forgotten() -> None:
    queue = filled(FairQueue(running_limit=2), "a", "b")

    served(queue, 2)

    assert not queue._lines


def test_places_are_counted_for_each_and_for_all() -> None:
    places = Places(each=2, together=3)

    assert [places.take(client) for client in ("a", "a", "a", "b", "b")] == [True, True, False, True, False]
    places.give_back("a")
    assert places.take("b")
    places.give_back("b")
    places.give_back("b")
    places.give_back("a")
    assert not places._taken


def test_a_job_waits_for_the_young_ones_until_they_end_or_are_young_no_longer() -> None:
    now = [0.0]
    queue = FairQueue(running_limit=9, young_limit=2, clock=lambda: now[0])
    began, go_on = Semaphore(0), Semaphore(0)

    def job() -> None:
        began.release()
        go_on.acquire()

    for _ in range(5):
        Thread(target=queue.work, daemon=True).start()
    for client in "abcd":
        queue.put(client, job)

    assert all(began.acquire(timeout=60) for _ in range(2))
    assert not began.acquire(timeout=0.1)  # the clock stands still: two are young, so two wait
    go_on.release()
    assert began.acquire(timeout=60)  # one ended
    now[0] = YOUNG_SECONDS
    assert began.acquire(timeout=60)  # none is young now
    queue.put("e", job)
    assert began.acquire(timeout=60)
    go_on.release(4)
