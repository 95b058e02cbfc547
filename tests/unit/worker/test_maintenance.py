import os
import signal
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone
from pytest_django.fixtures import Settings

from config.supervision import fork, kill_group
from relationships.models import RelationshipToken, Turn, TurnState
from relationships.services.tokens import create_token
from tests.fixtures.queue import MakeTurn, held_by
from tests.waiting import wait_until
from web.actor import Actor
from worker.identity import this_machine, worker_identity
from worker.maintenance import BEAT_SECONDS, Maintenance
from worker.models import PeriodicRun, WorkerHeartbeat
from worker.worker_stats import WorkerStats

pytestmark = pytest.mark.django_db(transaction=True)

TESTER = Actor.policy("test")
NAME = "here/1c0ffee2:1:2"
Start = Callable[..., int]


@pytest.fixture
def worker_stats() -> Iterator[WorkerStats]:
    made = WorkerStats()
    yield made
    made.close()


@pytest.fixture
def start(worker_stats: WorkerStats, settings: Settings) -> Iterator[Start]:
    """Start a maintenance in a process of its own; it is killed when the test ends, if it still runs."""
    settings.SWEEP_SECONDS = 0.1
    started: list[int] = []

    def revive_nothing() -> None:
        pass

    def make(revive_database: Callable[[], None] = revive_nothing) -> int:
        maintenance = Maintenance(
            worker_stats, name=NAME, supervisor=os.getpid(), revive_database=revive_database
        )
        connection.close()  # not for the fork
        started.append(fork(maintenance.run, name="maintenance"))
        return started[-1]

    yield make
    for maintenance in started:
        kill_group(maintenance)


def stop(maintenance: int) -> int:
    os.kill(maintenance, signal.SIGTERM)
    return os.waitstatus_to_exitcode(os.waitpid(maintenance, 0)[1])


def call_the_pool_well(worker_stats: WorkerStats) -> None:
    worker_stats.page.pool_well_at = time.monotonic() + 60


def test_it_gives_a_sign_of_life_while_the_pool_is_well_and_takes_it_away_at_the_end(
    worker_stats: WorkerStats, start: Start
) -> None:
    call_the_pool_well(worker_stats)
    maintenance = start()
    wait_until(WorkerHeartbeat.objects.exists, what="the heartbeat")

    assert stop(maintenance) == 0

    assert not WorkerHeartbeat.objects.exists()


def test_it_looks_often_until_the_pool_is_well_for_the_first_time(worker_stats: WorkerStats) -> None:
    """Whoever started the worker waits for its first sign of life."""
    maintenance = Maintenance(worker_stats, name=NAME, supervisor=os.getpid(), revive_database=lambda: None)
    at_first = maintenance._round()
    assert not WorkerHeartbeat.objects.exists()
    call_the_pool_well(worker_stats)

    rests = [maintenance._round()]
    worker_stats.page.pool_well_at = 0.0
    rests.append(maintenance._round())

    assert WorkerHeartbeat.objects.exists()
    assert at_first < 0.2
    assert rests == [BEAT_SECONDS] * 2


def test_a_pool_that_nobody_calls_well_gives_no_sign_of_life(worker_stats: WorkerStats, start: Start) -> None:
    maintenance = start()
    begun = wait_until(lambda: worker_stats.page.maintenance_at, what="its first round")
    wait_until(lambda: worker_stats.page.maintenance_at > begun + 1.5, what="more rounds")

    assert not WorkerHeartbeat.objects.exists()
    stop(maintenance)


def test_a_sweep_that_takes_long_does_not_look_like_a_dead_machine_but_is_noticed(
    worker_stats: WorkerStats, start: Start
) -> None:
    call_the_pool_well(worker_stats)
    maintenance = start()
    wait_until(WorkerHeartbeat.objects.exists, what="the heartbeat")

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK relationships_turn IN ACCESS EXCLUSIVE MODE")
        cursor.execute("SELECT clock_timestamp()")
        locked_at, rounds_at = cursor.fetchone()[0], worker_stats.page.maintenance_at
        later = WorkerHeartbeat.objects.filter(beat_at__gt=locked_at + timedelta(seconds=2))
        wait_until(later.exists, what="heartbeats while the sweep waits")
        assert worker_stats.page.maintenance_at < rounds_at + 1.5, (
            "a sweep that hangs is ended by the supervisor"
        )

    wait_until(lambda: worker_stats.page.maintenance_at > rounds_at + 2, what="the sweep to go on")
    stop(maintenance)


def test_it_takes_back_what_the_dead_held(make_turn: MakeTurn, start: Start) -> None:
    turn = make_turn(**held_by(f"{this_machine()}:999999999:1"))

    maintenance = start()

    of_the_relationship = Turn.objects.for_relationship(turn.relationship_id)
    wait_until(of_the_relationship.filter(state=TurnState.PENDING).exists, what="the turn to be given back")
    stop(maintenance)


def test_by_a_clock_that_is_ahead_nothing_ends_early(
    make_turn: MakeTurn, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, held = make_turn(**held_by(worker_identity(), seconds=-1)), make_turn(**held_by(worker_identity()))
    for seconds in (-1, 1800):
        create_token(relationship=ended.relationship, scopes=["read"], expires_in=seconds, by=TESTER)
    later = timezone.now() + timedelta(hours=1)
    monkeypatch.setattr(timezone, "now", lambda: later)

    maintenance = start()

    tokens, turns = RelationshipToken.objects.all(), Turn.objects.for_relationship(ended.relationship_id)
    wait_until(lambda: tokens.count() < 2, what="the expired token to go")
    wait_until(
        turns.filter(state=TurnState.PENDING).exists, what="the turn whose lease is over to be given back"
    )
    stop(maintenance)
    assert tokens.count() == 1
    assert turns.get(state=TurnState.PROCESSING).id == held.id


def test_it_does_not_outlive_its_supervisor(worker_stats: WorkerStats) -> None:
    connection.close()
    orphan = Maintenance(worker_stats, name=NAME, supervisor=-1, revive_database=lambda: None)

    maintenance = fork(orphan.run, name="maintenance")

    assert os.waitstatus_to_exitcode(os.waitpid(maintenance, 0)[1]) == 0
    assert not WorkerHeartbeat.objects.exists()


def test_it_has_a_database_that_went_away_started_again(start: Start, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    settings_dict = connections["default"].settings_dict
    here, nowhere = settings_dict["HOST"], str(tmp_path)

    def revive() -> None:
        asked.touch()
        settings_dict["HOST"] = here

    settings_dict["HOST"] = nowhere
    try:
        maintenance = start(revive)
    finally:
        settings_dict["HOST"] = here

    wait_until(asked.exists, what="the call for the database")
    assert stop(maintenance) == 0


def test_periodic_tasks_outlive_a_database_that_goes_away_while_they_are_looked_for(start: Start) -> None:
    maintenance = start()
    wait_until(PeriodicRun.objects.exists, what="the first periodic tasks")

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM worker_periodicrun")
        cursor.execute("LOCK worker_periodicrun IN ACCESS EXCLUSIVE MODE")

        def end_who_waits() -> bool:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks"
                " WHERE NOT granted AND relation = 'worker_periodicrun'::regclass"
            )
            return bool(cursor.fetchall())

        wait_until(end_who_waits, what="the next look for them")

    wait_until(PeriodicRun.objects.exists, what="them to be done again")
    assert stop(maintenance) == 0
