from datetime import datetime, timedelta
from functools import partial
from math import inf
from uuid import UUID, uuid4

import pytest
from django.db import OperationalError
from django.db.models import F
from django.utils import timezone
from django_q.models import OrmQ
from pytest_django.fixtures import DjangoAssertNumQueries
from structlog.testing import capture_logs

from config.logging import class_of_error
from relationships.models import Companion
from tests.fixtures.documents import upload
from worker.failures import each_alone
from worker.housekeeping import PeriodicTask, do_what_is_due, periodic_tasks
from worker.models import PeriodicRun
from worker.owed_rows import GRACE_SECONDS, OwedRows

pytestmark = pytest.mark.django_db

NOW = datetime.fromisoformat("2026-03-02T09:00:00+00:00")


def pass_for_the_table(seconds: float) -> None:
    """As if so much time had passed since its rows were written."""
    PeriodicRun.objects.update(next_at=F("next_at") - timedelta(seconds=seconds))


def test_a_periodic_task_is_done_again_after_its_seconds() -> None:
    periodic_task = PeriodicTask("tidy", 30, lambda now: 0)
    done = []
    before = 0.0
    for moment in (0.0, 10.0, 29.0, 30.0, 59.0, 60.0):
        pass_for_the_table(moment - before)
        before = moment
        if do_what_is_due([periodic_task], now=NOW, clock=partial(float, moment)):
            done.append(moment)

    assert done == [0.0, 30.0, 60.0]


def test_two_machines_don_t_do_the_same_twice() -> None:
    done: list[str] = []

    def tidy(who: str, now: datetime) -> int:
        done.append(who)
        return 1

    first, second = (PeriodicTask("tidy", 30, partial(tidy, who)) for who in "ab")

    for moment, machine in ((0.0, first), (1.0, second), (31.0, second), (32.0, first)):
        pass_for_the_table(30.0 if moment == 31.0 else 0.0)
        do_what_is_due([machine], now=NOW, clock=partial(float, moment))

    assert done == ["a", "b"]


def test_a_clock_that_was_ahead_keeps_no_periodic_task_waiting() -> None:
    tidy = PeriodicTask("tidy", 30, lambda now: 0)
    do_what_is_due([tidy], now=NOW, clock=lambda: 0.0)
    pass_for_the_table(-86_400)

    assert do_what_is_due([tidy], now=NOW, clock=lambda: 30.0) == 1


def test_a_periodic_task_that_fails_stops_no_other_and_is_tried_again() -> None:
    tried: list[str] = []

    def fail(now: datetime) -> int:
        tried.append("failing")
        raise RuntimeError("somebody's words")

    def work(now: datetime) -> int:
        tried.append("working")
        return 1

    owed = [PeriodicTask("failing", 1, fail), PeriodicTask("working", 1, work)]
    do_what_is_due(owed, now=NOW, clock=lambda: 0.0)
    pass_for_the_table(1)
    do_what_is_due(owed, now=NOW, clock=lambda: 1.0)

    assert tried == ["failing", "working"] * 2


def test_a_slow_periodic_task_comes_less_often() -> None:
    ticks = iter((0.0, 0.0, 10.0))
    periodic_task = PeriodicTask("slow", 30, lambda now: 0)

    do_what_is_due([periodic_task], now=NOW, clock=lambda: next(ticks))

    assert periodic_task.next_at == 200.0


def test_of_rooms_whose_rows_owe_nothing_one_statement_asks(
    companion: Companion, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    owed = [task for task in periodic_tasks() if isinstance(task.do, OwedRows)]
    upload(companion, "Words.")  # just enqueued
    OrmQ.objects.all().delete()

    with django_assert_num_queries(2):  # which are due, and which of those owe
        assert do_what_is_due(owed, now=timezone.now()) == len(owed)
    assert not OrmQ.objects.exists()

    pass_for_the_table(60)
    do_what_is_due(owed, now=timezone.now() + timedelta(seconds=GRACE_SECONDS), clock=lambda: inf)
    assert OrmQ.objects.count() == 1


def test_of_several_relationships_each_fails_alone_but_for_a_database_that_is_away() -> None:
    failing, working = uuid4(), uuid4()

    def do(relationship_id: UUID, error: Exception) -> int:
        if relationship_id == failing:
            raise error
        return 1

    with capture_logs(processors=[class_of_error]) as logs:
        assert each_alone([failing, working], partial(do, error=ValueError("somebody's words"))) == 1
    assert [(line["relationship_id"], line["error_class"]) for line in logs] == [(str(failing), "ValueError")]
    assert "somebody's words" not in str(logs)
    with pytest.raises(OperationalError):
        each_alone([failing, working], partial(do, error=OperationalError("away")))


def test_every_periodic_task_of_the_house_can_be_done_on_an_empty_database() -> None:
    assert do_what_is_due(periodic_tasks(), now=timezone.now()) == len(periodic_tasks())
