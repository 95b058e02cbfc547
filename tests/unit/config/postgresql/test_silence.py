from typing import ClassVar

from django.db import connection

from config.postgresql.silence import WatchedConnection


class Hasty(WatchedConnection):
    silent_seconds: ClassVar[float] = 0.1


def test_a_long_statement_is_waited_for_as_the_server_answers_beside_it(db: None) -> None:
    parameters = connection.get_connection_params()
    for option in ("cursor_factory", "context"):
        parameters.pop(option, None)

    with Hasty.connect(**parameters) as session:
        assert session.execute("SELECT 'done' FROM pg_sleep(0.5)").fetchone() == ("done",)
