"""The real service under a test's control: its own processes on its own database."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.acceptance.database import LiveDatabase, create_database, django_on, drop_database, own_server
from tests.acceptance.service import LiveService, service_on
from tests.vendor_servers.openai_server import OpenAIServer


@pytest.fixture(scope="session")
def own_name() -> str:
    """The suffix of the names of this test process's databases, except for the first one."""
    name = os.environ.get("RAPPORT_TEST_DATABASE", "test_rapport").replace("test_", "test_acceptance_", 1)
    return name + os.environ.get("PYTEST_XDIST_WORKER", "")


@pytest.fixture(scope="session")
def live_database(migrated: str, own_name: str) -> Iterator[LiveDatabase]:
    """A database that is empty at the beginning of every test."""
    name = f"{own_name}_live"
    yield create_database(name, template=migrated)
    drop_database(name)


@pytest.fixture
def live(
    live_database: LiveDatabase, django_db_blocker: DjangoDbBlocker, tmp_path: Path
) -> Iterator[LiveService]:
    with django_db_blocker.unblock(), service_on(live_database, tmp_path) as service:
        yield service


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    """A server of the test's own. It answers at once, until the test sets its `latency`: then who asks it is busy."""
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="session")
def standing_model() -> Iterator[OpenAIServer]:
    """The server that the standing service calls if a companion has the provider `openai`."""
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="session")
def standing(
    migrated: str,
    own_name: str,
    standing_model: OpenAIServer,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[LiveService]:
    """A worker and a web server on their own database, for all tests that only use them."""
    name = f"{own_name}_standing"
    database = create_database(name, template=migrated)
    service = LiveService(database, tmp_path_factory.mktemp("standing"))
    service.settings |= {"OPENAI_BASE_URL": standing_model.url, "OPENAI_API_KEY": "k", "RAPPORT_MEM0": "1"}
    with django_db_blocker.unblock(), django_on(database):
        service.start_worker()
        service.start_web()
        service.wait_until_ready()
    yield service
    service.end()
    drop_database(name)


@pytest.fixture
def live_service(standing: LiveService, django_db_blocker: DjangoDbBlocker) -> Iterator[LiveService]:
    """The standing service, with a new project for the test. The rest of its database belongs to other tests."""
    with django_db_blocker.unblock(), django_on(standing.database):
        yield standing.with_a_project_of_its_own()


@pytest.fixture
def own_live(
    migrated_server: Path, django_db_blocker: DjangoDbBlocker, tmp_path: Path
) -> Iterator[LiveService]:
    """A service on an embedded server of its own, which a test may kill."""
    own = own_server(tmp_path / "own", files=migrated_server)
    with own as database, django_db_blocker.unblock(), django_on(database):
        service = LiveService(database, tmp_path)
        yield service
        service.end()
