"""A real worker: what it does with turns, and what it survives."""

from time import monotonic
from typing import Any

import psutil
import pytest

from relationships.models import Relationship, Turn, TurnState
from tests.acceptance.processes import LiveWorker, events_in
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.vendor_servers.script import Item
from tests.waiting import wait_until
from worker.identity import is_dead
from worker.models import WorkerHeartbeat

WATCHDOG_SECONDS = 2.0
QUICK = {"RAPPORT_WATCHDOG_SECONDS": str(WATCHDOG_SECONDS), "RAPPORT_SWEEP_SECONDS": "0.5"}


def start_worker(service: LiveService, model: OpenAIServer, *options: str) -> LiveWorker:
    """One that asks this model and loses no time over its own mishaps, in order."""
    service.settings |= QUICK | asking(model)
    worker = service.start_worker(*options)
    worker.wait_until_in_order()
    return worker


@pytest.fixture
def worker(live: LiveService, model: OpenAIServer) -> LiveWorker:
    return start_worker(live, model)


@pytest.fixture
def relationship(live: LiveService) -> Relationship:
    return live.new_relationships(1)[0]


def asking(model: OpenAIServer) -> dict[str, str]:
    return {"RAPPORT_LLM_PROVIDER": "openai", "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k"}


def held(relationship: Relationship) -> list[Turn]:
    return list(Turn.objects.for_relationship(relationship.id).filter(state=TurnState.PROCESSING))


def test_a_turn_that_is_handed_over_is_remembered_and_an_idle_worker_leaves_nothing_behind(
    live: LiveService, worker: LiveWorker, relationship: Relationship
) -> None:
    turns = [live.say(relationship, f"I have {number} cats.") for number in range(5)]
    assert live.wait_until_settled(turns) == ["applied"] * 5
    counted = wait_until(
        lambda: WorkerHeartbeat.objects.filter(counters__model_calls__gt=0).first(), what="the count"
    )
    assert counted is not None
    assert counted.counters["prompt_tokens"] > 0

    def left() -> int:
        counts = ("django_q_ormq", "django_q_task", "django_q_schedule")
        return sum(live.database.rows(f"SELECT count(*) FROM {table}")[0][0] for table in counts)

    wait_until(lambda: left() == 0, what="the queue to be empty")
    # `--check` is the health check of its container.
    assert live.start_command("worker", "--check").wait() == 0
    family = worker.family()

    assert worker.stop(timeout=10) == 0

    wait_until(lambda: not any(map(psutil.Process.is_running, family)), what="every process to be gone")
    check = live.start_command("worker", "--check")
    assert check.wait() == 1
    assert "No worker on this machine has reported" in check.log


def test_whatever_is_killed_the_worker_recovers_by_itself_and_without_all_its_keepers_nothing_is_left(
    live: LiveService, worker: LiveWorker, relationship: Relationship
) -> None:
    # django-q2's own, in the order in which they start; the pusher first of the last two, as its
    # successor then comes after the monitor, too
    own = {
        name: (lambda place=place: worker.cluster()[place])
        for name, place in {"cluster": 0, "sentinel": 1, "pusher": 3, "monitor": 2}.items()
    }
    readers = {f"idle reader {place}": (lambda place=place: worker.readers()[place]) for place in (0, 1)}
    for name, find in {**readers, **own, "maintenance": worker.maintenance}.items():
        process = find()
        process.kill()

        turns = [live.say(relationship, f"I was at the sea {number} times.") for number in range(3)]
        settled = live.wait_until_settled(turns, timeout=2 * WATCHDOG_SECONDS + 10)
        assert settled == ["applied"] * 3, name
        wait_until(lambda: not process.is_running(), what=f"the killed {name} to be collected")  # noqa: B023
        worker.wait_until_in_order()

    family = worker.family()
    cluster, *_ = worker.cluster()

    worker.kill()
    cluster.kill()  # before it misses the supervisor

    wait_until(lambda: not any(map(psutil.Process.is_running, family)), what="every process to be gone")


def test_a_pool_that_is_only_busy_is_not_taken_for_stuck(live: LiveService, model: OpenAIServer) -> None:
    live.settings |= {"RAPPORT_READERS": "1"}
    worker = start_worker(live, model)
    model.latency = 60
    people = live.new_relationships(6)
    for person in people:
        live.say(person, "I like rain.")
    wait_until(lambda: sum(len(held(person)) for person in people) == 2, what="both readers to be busy")
    readers = {reader.pid for reader in worker.readers()}

    waited = wait_until(
        lambda: live.database.row("SELECT id FROM django_q_ormq WHERE lock < now() - interval '5 seconds'"),
        timeout=15,
        what="a task to wait longer than the watchdog's limit",
    )

    assert waited is not None
    assert worker.heartbeat is not None
    assert worker.heartbeat[1] == 0
    assert {reader.pid for reader in worker.readers()} == readers
    assert "worker.pool.restarted" not in events_in(worker.log)


def test_a_process_that_is_killed_with_all_its_turns_in_hand_gives_them_back_at_once(
    live: LiveService, model: OpenAIServer, worker: LiveWorker
) -> None:
    model.latency = 60
    turns = [live.say(person, "I like rain.") for person in live.new_relationships(64)]
    wait_until(lambda: model.asked == 64, timeout=30, what="all turns to be asked about")
    model.latency = 0

    holder = Turn.objects.held().values_list("leased_by", flat=True)[0]
    psutil.Process(int(holder.split(":")[1])).kill()

    assert live.wait_until_settled(turns, timeout=40) == ["applied"] * 64
    # one that died, one that read; and one more where it was taken up just before the pool began anew
    assert set(Turn.objects.values_list("attempts", flat=True)) <= {2, 3}
    assert "queue.leases.released" in events_in(worker.log)


def test_who_waits_for_a_model_holds_no_connection(live: LiveService, model: OpenAIServer) -> None:
    live.settings |= {"RAPPORT_DATABASE_POOL": "3"} | asking(model)
    worker = live.start_worker()  # under its usual watchdog: its threads begin at once, all but two
    worker.wait_until_in_order()
    model.latency = 8  # longer than work may wait beside an idle reader
    turns = [live.say(person, "I like rain.") for person in live.new_relationships(126)]
    wait_until(lambda: model.asked == 126, timeout=30, what="all turns to be asked about")

    used = (
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
        " AND application_name = 'rapport-worker' AND query NOT LIKE 'LISTEN%%'"
        " HAVING count(*) <= 2 * 3 + 5"  # beside the pools': the pusher's, and those of periodic work
    )
    wait_until(lambda: live.database.row(used), timeout=4, what="no more connections than the pools hold")
    assert live.wait_until_settled(turns, timeout=60) == ["applied"] * 126
    assert "worker.pool.restarted" not in events_in(worker.log)


def test_a_model_that_says_to_wait_is_asked_once_and_then_left_alone(
    live: LiveService, model: OpenAIServer
) -> None:
    readers = 4
    live.settings |= {
        "RAPPORT_WORKERS": "1",
        "RAPPORT_READERS": str(readers),
        "RAPPORT_RETRY_BASE_SECONDS": "0.05",
    }
    turns = [live.say(person, "I like rain.") for person in live.new_relationships(30)]
    refused_until: list[float] = []

    def refuse_for_a_while(body: dict[str, Any]) -> Item | None:
        if not refused_until:
            refused_until.append(monotonic() + 2)
        return {"status": 429, "retry_after": 2} if monotonic() < refused_until[0] else None

    model.respond = refuse_for_a_while
    live.settings |= asking(model)
    live.start_worker().wait_until_in_order(readers=1)

    assert live.wait_until_settled(turns, timeout=60) == ["applied"] * 30
    assert model.asked <= 30 + readers, "only those that were under way when the refusal came"
    assert set(Turn.objects.values_list("attempts", flat=True)) <= {1, 2}, "not asked does not count"


def test_a_stop_finishes_the_turn_in_hand(
    live: LiveService, model: OpenAIServer, worker: LiveWorker, relationship: Relationship
) -> None:
    model.latency = 3
    turn = live.say(relationship, "I bake bread.")
    wait_until(lambda: held(relationship), what="the turn to be taken")

    assert worker.stop() == 0

    assert live.state_of(turn) == "applied"
    assert not WorkerHeartbeat.objects.exists()


def test_turns_that_waited_for_a_worker_are_found_when_one_starts_and_a_stop_that_may_not_wait_gives_one_back(
    live: LiveService, model: OpenAIServer, relationship: Relationship
) -> None:
    turns = [live.say(relationship, f"I have {number} plants.") for number in range(3)]
    live.database.rows("DELETE FROM django_q_ormq RETURNING id")  # and their tasks are lost
    worker = start_worker(live, model, "--grace", "0.5")
    assert live.wait_until_settled(turns) == ["applied"] * 3

    model.latency = 60
    turn = live.say(relationship, "I bake bread.")
    wait_until(lambda: held(relationship), what="the turn to be taken")

    assert worker.stop() == 0

    left = Turn.objects.for_relationship(relationship.id).get(id=turn.id)
    assert (left.state, left.leased_by) == (TurnState.PENDING, "")
    assert not WorkerHeartbeat.objects.exists()


def test_with_the_supervisor_killed_its_processes_end_and_another_worker_takes_over(
    live: LiveService, model: OpenAIServer, worker: LiveWorker, relationship: Relationship
) -> None:
    model.latency = 60
    turn = live.say(relationship, "I sing in a choir.")
    (taken,) = wait_until(lambda: held(relationship), what="the turn to be taken")
    model.latency = 0
    family = worker.family()

    worker.kill()

    wait_until(lambda: not any(map(psutil.Process.is_running, family)), what="every process to be gone")
    assert is_dead(taken.leased_by) is True
    live.start_worker()
    assert live.wait_until_settled([turn]) == ["applied"]
