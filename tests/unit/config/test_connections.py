from io import StringIO

from django.core.management import call_command
from pytest_django.fixtures import Settings


def test_check_says_how_many_connections_there_may_be(settings: Settings) -> None:
    settings.WEB_PROCESSES, settings.DATABASE_POOL = 3, 5
    settings.Q_CLUSTER = {**settings.Q_CLUSTER, "workers": 4}
    told = StringIO()

    call_command("check", stdout=told)

    assert "at most: 36 of the web processes and 24 of a worker" in told.getvalue()
