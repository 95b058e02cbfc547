from contextlib import closing

import psycopg
import pytest
from django.db import connection

from worker.listening import Listener

pytestmark = pytest.mark.django_db(transaction=True)

CHANNEL = "test channel"


def notify(payload: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, payload])


def test_what_came_while_the_session_did_something_else_is_not_lost() -> None:
    with closing(Listener(CHANNEL)) as listener:
        notify("early")
        listener.connection.execute("SELECT 1")

        assert listener.wait(5) == ["early"]


def test_a_lost_session_is_an_error_and_not_silence() -> None:
    with closing(Listener(CHANNEL)) as listener:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [listener.connection.info.backend_pid])

        with pytest.raises(psycopg.OperationalError):
            for _ in range(10):  # the server's farewell may be heard before the line is dead
                listener.wait(1)


def test_it_can_be_closed_twice() -> None:
    listener = Listener(CHANNEL)

    listener.close()
    listener.close()

    assert listener.connection.closed
