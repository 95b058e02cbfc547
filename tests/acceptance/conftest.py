"""The real service under the hand of a test: processes of its own on a database of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.acceptance.database import (
    LiveDatabase,
    create_database,
    django_on,
    drop_database,
    empty,
    own_server,
)
from tests.acceptance.processes import ROOT, environment
from tests.acceptance.service import LiveService


@pytest.fixture(scope="session")
def live_database() -> Iterator[LiveDatabase]:
    """Made and migrated once for each process of the tests; every test finds it empty."""
    name = os.environ.get("RAPPORT_TEST_DATABASE", "test_rapport").replace("test_", "test_acceptance_", 1)
    name += os.environ.get("PYTEST_XDIST_WORKER", "")
    database = create_database(name)
    migrate(database)
    yield database
    drop_database(name)


@pytest.fixture
def live(
    live_database: LiveDatabase, django_db_blocker: DjangoDbBlocker, tmp_path: Path
) -> Iterator[LiveService]:
    """A service without any process yet; the models of the test speak to its database. Ends what was started."""
    with django_db_blocker.unblock(), django_on(live_database):
        service = LiveService(live_database, tmp_path)
        yield service
        service.end()
        empty()


@pytest.fixture
def live_service(live: LiveService) -> LiveService:
    """The same with a worker and a web server that are ready."""
    live.start_worker()
    live.start_web()
    live.wait_until_ready()
    return live


@pytest.fixture
def own_live(django_db_blocker: DjangoDbBlocker, tmp_path: Path) -> Iterator[LiveService]:
    """A service on an embedded server of its own, which a test may kill."""
    with own_server(tmp_path / "own") as database:
        migrate(database)
        with django_db_blocker.unblock(), django_on(database):
            service = LiveService(database, tmp_path)
            yield service
            service.end()


def migrate(database: LiveDatabase) -> None:
    command = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
    subprocess.run(command, cwd=ROOT, env=environment(database), check=True)
