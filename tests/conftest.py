"""Fixtures and settings for all tests."""

import gc
import threading
from collections.abc import Iterator

import pytest
from django.urls import get_resolver
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from config.embedded_postgres import start_if_used
from memory.entries import access

# A busy machine may be slow, and a failure must be reproducible.
settings.register_profile("rapport", deadline=None, derandomize=True)
settings.load_profile("rapport")

# As in manage.py: collecting garbage less often saves a tenth of the CPU time.
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
    "tests.fixtures.responses",
    "tests.fixtures.queue",
    "tests.fixtures.webhooks",
    "tests.fixtures.distributed",
    "tests.fixtures.template",
    "tests.fixtures.emptying",
]


def pytest_configure() -> None:
    """Start the embedded database before pytest-django creates its test database."""
    start_if_used()


def pytest_collection_finish() -> None:
    """Hide the collected tests, a million objects that stay to the end, from the garbage collector."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def addresses() -> None:
    """Load the API, which reads limits of bodies from the settings, before a test changes these."""
    _ = get_resolver().url_patterns


@pytest.fixture(scope="session", autouse=True)
def accesses() -> Iterator[None]:
    """Count what contexts showed only when a test asks for it. A thread would do it between two tests, when nothing may
    use the database.
    """
    access._notes = access.AccessNotes(seconds=threading.TIMEOUT_MAX)
    yield
    access._notes = access.AccessNotes()


class OneFileAtATime(LoadScopeScheduling):  # type: ignore[misc]
    """Distributes whole files to the processes, and all browser tests to a single one, which starts the service once."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        return BROWSER if file.startswith(BROWSER) else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> OneFileAtATime:
    return OneFileAtATime(config, log)
