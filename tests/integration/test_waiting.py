"""Waiting for turns with many waiters, across forks and over a cut of the database."""

import os
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from uuid import UUID

import pytest
from django.db import connection, transaction
from pytest_django.fixtures import Settings

from relationships.ids import uuid7
from tests.integration.test_broker import cut_sessions
from worker.waiting import announce_settled, waiting_place

pytestmark = pytest.mark.django_db(transaction=True)


def test_nobody_is_woken_before_the_settling_transaction_commits() -> None:
    turn_id = uuid7()
    with waiting_place(turn_id) as place:
        assert place is not None
        with transaction.atomic():
            announce_settled([uuid7(), turn_id])
            assert place.wait(0.05) is False
        assert place.wait(10) is True


def test_fifty_waiters_share_one_session_and_each_hears_of_its_own_turn(settings: Settings) -> None:
    settings.MAX_WAITERS = 50
    turns = [uuid7() for _ in range(50)]

    def wait(turn_id: UUID) -> bool:
        with waiting_place(turn_id) as place:
            assert place is not None
            announce_settled([turn_id])
            heard = place.wait(20)
        connection.close()
        return heard

    with ThreadPoolExecutor(50) as pool:
        assert all(pool.map(wait, turns))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND query = 'LISTEN \"rapport_settled\"'"
        )
        assert cursor.fetchone()[0] == 1


def test_after_a_cut_of_the_database_waiters_are_told_to_look_again() -> None:
    with waiting_place(uuid7()) as place:
        assert place is not None
        cut_sessions()
        started = perf_counter()

        assert place.wait(20) is True
        assert perf_counter() - started < 10
    turn_id = uuid7()
    with waiting_place(turn_id) as place:
        assert place is not None
        announce_settled([turn_id])
        assert place.wait(10) is True


def test_a_fork_listens_for_itself() -> None:
    with waiting_place(uuid7()):
        pass
    connection.close()
    child = os.fork()
    if not child:
        turn_id = uuid7()
        with waiting_place(turn_id) as place:
            announce_settled([turn_id])
            heard = place is not None and place.wait(10)
        os._exit(0 if heard else 1)

    assert os.waitpid(child, 0)[1] == 0
    turn_id = uuid7()
    with waiting_place(turn_id) as place:
        assert place is not None
        announce_settled([turn_id])
        assert place.wait(10) is True
