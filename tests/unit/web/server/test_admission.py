from collections.abc import Callable
from threading import Semaphore, Thread

from web.server.admission import YOUNG_SECONDS, Client, FairQueue, Places, share

A, B, C = Client("a"), Client("b"), Client("c")


def nothing() -> None:
    pass


def served(queue: FairQueue, count: int) -> list[Client]:
    """Whose job is taken, one after the other, each finished before the next."""
    clients = []
    for _ in range(count):
        client, _job = queue.take()
        clients.append(client)
        queue.finished(client)
    return clients


def filled(queue: FairQueue, *clients: Client, job: Callable[[], None] = nothing) -> FairQueue:
    for client in clients:
        queue.put(client, job)
    return queue


def test_clients_take_turns_however_many_jobs_one_of_them_has() -> None:
    queue = filled(FairQueue(running_limit=2), A, A, A, A, B, C, B)

    assert served(queue, 7) == [A, B, C, A, B, A, A]


def test_the_jobs_of_one_client_keep_their_order() -> None:
    queue = FairQueue(running_limit=1)
    done: list[int] = []
    for number in range(3):
        queue.put(A, lambda number=number: done.append(number))  # type: ignore[misc]

    for _ in range(3):
        client, job = queue.take()
        job()
        queue.finished(client)

    assert done == [0, 1, 2]


def test_a_client_runs_no_more_at_once_than_it_may_and_goes_on_when_one_ends() -> None:
    queue = filled(FairQueue(running_limit=2), A, A, A, B)

    assert [queue.take()[0] for _ in range(3)] == [A, B, A]  # the third of `a` has to wait
    queue.finished(B)
    queue.put(B, nothing)
    assert queue.take()[0] == B
    queue.finished(A)
    assert queue.take()[0] == A


def test_a_line_may_have_a_limit_of_its_own() -> None:
    queue = FairQueue(running_limit=2)
    for client in (A, A, B):
        queue.put(client, nothing, limit=1 if client == A else None)

    assert [queue.take()[0], queue.take()[0]] == [A, B]  # the second of `A` has to wait
    queue.finished(A)
    assert queue.take()[0] == A


def test_people_of_one_client_take_turns_with_it_and_none_holds_all_that_it_may_run() -> None:
    eve, tom = Client("a", "eve"), Client("a", "tom")
    queue = filled(FairQueue(running_limit=6), *[eve] * 5, tom, A, A, B)

    assert [queue.take()[0] for _ in range(6)] == [eve, B, tom, A, eve, A]  # the third of `eve` has to wait
    queue.put(A, nothing)
    assert queue.take()[0] == A
    queue.finished(tom)
    queue.put(A, nothing)
    assert queue.take()[0] == A
    queue.finished(eve)
    assert queue.take()[0] == eve


def test_a_client_without_a_job_is_forgotten() -> None:
    queue = filled(FairQueue(running_limit=2), A, B)

    served(queue, 2)

    assert not queue._lines


def test_places_are_counted_for_each_and_for_all() -> None:
    places = Places(each=2, together=3)

    assert [places.take(client) for client in (A, A, A, B, B)] == [True, True, False, True, False]
    places.give_back(A)
    assert places.take(B)
    places.give_back(B)
    places.give_back(B)
    places.give_back(A)
    assert not places._taken


def test_a_person_has_a_share_of_a_client_s_places() -> None:
    places = Places(each=6, together=9)
    eve, tom = Client("a", "eve"), Client("a", "tom")

    assert [places.take(eve) for _ in range(3)] == [True, True, False]
    assert [places.take(client) for client in (tom, A, A, A, A)] == [True, True, True, True, False]
    assert not places.take(tom)  # all of the client's are taken
    for client in (eve, eve, tom, A, A, A):
        places.give_back(client)
    assert not places._taken
    assert share(1) == 1


def test_a_job_waits_for_the_young_ones_until_they_end_or_are_young_no_longer() -> None:
    now = [0.0]
    queue = FairQueue(running_limit=9, young_limit=2, clock=lambda: now[0])
    began, go_on = Semaphore(0), Semaphore(0)

    def job() -> None:
        began.release()
        go_on.acquire()

    for _ in range(5):
        Thread(target=queue.work, daemon=True).start()
    for name in "abcd":
        queue.put(Client(name), job)

    assert all(began.acquire(timeout=60) for _ in range(2))
    assert not began.acquire(timeout=0.1)  # the clock stands still: two are young, so two wait
    go_on.release()
    assert began.acquire(timeout=60)  # one ended
    now[0] = YOUNG_SECONDS
    assert began.acquire(timeout=60)  # none is young now
    queue.put(Client("e"), job)
    assert began.acquire(timeout=60)
    go_on.release(4)
