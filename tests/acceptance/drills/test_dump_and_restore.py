"""A dump of the running service, restored elsewhere: it is whole, and a service on it goes on with what was owed."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import connection

from config.embedded_postgres.programs import programs_for
from relationships.models import Relationship, Turn, TurnState
from tests.acceptance.database import LiveDatabase, create_database, django_on, drop_database
from tests.acceptance.drills.talk import require_each_applied_once_in_order, scaled
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until
from upkeep.verification import verify

pytestmark = pytest.mark.drill

RELATIONSHIPS = scaled(3, 10)
READ_BEFORE = scaled(6, 200)  # turns that are applied before the dump


@contextmanager
def talking(live: LiveService, people: list[Relationship]) -> Iterator[None]:
    """Somebody hands turns over all the while."""
    enough = threading.Event()

    def talk() -> None:
        number = 0
        try:
            while not enough.wait(0.1):
                live.say(people[number % len(people)], f"fact {number}")
                number += 1
        finally:
            connection.close()

    talker = threading.Thread(target=talk)
    talker.start()
    try:
        yield
    finally:
        enough.set()
        talker.join()


def run(program: str, database: LiveDatabase, *arguments: str) -> None:
    where = {
        "host": "PGHOST",
        "port": "PGPORT",
        "user": "PGUSER",
        "password": "PGPASSWORD",
        "dbname": "PGDATABASE",
    }
    env = {where[key]: str(value) for key, value in database.parameters.items()}
    subprocess.run([str(programs_for(None) / program), *arguments], env=env, check=True)


@pytest.fixture
def restored(live_database: LiveDatabase) -> Iterator[LiveDatabase]:
    """Another database, and empty."""
    name = f"{live_database.name}_restored"
    yield create_database(name)
    drop_database(name)


def test_a_dump_of_the_running_service_is_whole_and_goes_on_elsewhere(
    drilled: LiveService, model: OpenAIServer, restored: LiveDatabase, tmp_path: Path
) -> None:
    model.latency = 0.1
    worker = drilled.start_worker()
    people = drilled.new_relationships(RELATIONSHIPS)
    dump = tmp_path / "rapport.dump"
    with talking(drilled, people):
        applied = Turn.objects.filter(state=TurnState.APPLIED)
        wait_until(lambda: applied.count() >= READ_BEFORE, timeout=90, what="turns to be read")
        run("pg_dump", drilled.database, "--format=custom", f"--file={dump}")
    worker.kill_all()  # the old machine is lost

    run("pg_restore", restored, "--no-owner", "--no-comments", f"--dbname={restored.name}", str(dump))
    with django_on(restored):
        folder = tmp_path / "elsewhere"
        folder.mkdir()
        elsewhere = LiveService(restored, folder)
        elsewhere.settings |= {**drilled.settings, **restored.environment}
        owed = Turn.objects.filter(state__in=[TurnState.PENDING, TurnState.PROCESSING])
        assert owed.exists(), "dumped in the middle of the work"
        try:
            assert elsewhere.start_command("verify").wait() == 0
            elsewhere.start_worker()
            elsewhere.wait_until_settled(list(Turn.objects.all()), timeout=scaled(60, 300))
            for person in people:
                require_each_applied_once_in_order(person)
            assert not verify().found
        finally:
            elsewhere.end()
