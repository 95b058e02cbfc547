"""What every test may ask for."""

import gc
import threading
from collections.abc import Iterator

import pytest
from django.urls import get_resolver
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from config.embedded_postgres import start_if_used
from memory.entries import access

# A loaded machine is slow, not wrong; and a red run must be red again when it is looked at.
settings.register_profile("rapport", deadline=None, derandomize=True)
settings.load_profile("rapport")

# As in the web server (config/asgi.py): looking for garbage less often leaves a tenth of the processor's time.
gc.set_threshold(20_000, 50, 100)

BROWSER = "tests/acceptance/browser/"

pytest_plugins = [
    "tests.fixtures.providers",
    "tests.fixtures.embedders",
    "tests.fixtures.people",
    "tests.fixtures.api",
    "tests.fixtures.operators",
    "tests.fixtures.turns",
    "tests.fixtures.chat",
    "tests.fixtures.queue",
    "tests.fixtures.distributed",
    "tests.fixtures.template",
]


def pytest_configure() -> None:
    """The embedded database must be up before pytest-django makes its test database."""
    start_if_used()


def pytest_collection_finish() -> None:
    """What was collected, a million objects, stays to the end: it need not be looked through for garbage again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def addresses() -> None:
    """What a body may hold is read from the settings as the API is loaded: so before a test changes them."""
    _ = get_resolver().url_patterns


@pytest.fixture(scope="session", autouse=True)
def accesses() -> Iterator[None]:
    """What contexts showed is counted when a test asks for it: a thread would do so between two tests, when nothing
    may use the database.
    """
    access._notes = access.AccessNotes(seconds=threading.TIMEOUT_MAX)
    yield
    access._notes = access.AccessNotes()


class OneFileAtATime(LoadScopeScheduling):  # type: ignore[misc]
    """Which process runs what: whole files, and everything in the browser in one, where the service is started
    once.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        return BROWSER if file.startswith(BROWSER) else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> OneFileAtATime:
    return OneFileAtATime(config, log)
