"""A real browser and the real service. All tests here share one service and one browser; each has its own context."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright
from pytest_django.plugin import DjangoDbBlocker

from relationships.models import Role
from tests.acceptance.browser.chromium import FLAGS, require_chromium
from tests.acceptance.browser.desk import Desk
from tests.acceptance.browser.stage import Stage
from tests.acceptance.database import LiveDatabase
from tests.acceptance.service import service_on
from tests.vendor_servers.openai_server import OpenAIServer


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    path = require_chromium()
    with pytest.MonkeyPatch.context() as patch:
        # Playwright has an event loop in this thread, but Django's ORM is only called outside of it.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
            yield browser
            browser.close()


@pytest.fixture(scope="package")
def model() -> Iterator[OpenAIServer]:
    """The server that reads the turns of the companion Mole. Tests script it."""
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="package")
def stage(
    chromium: Browser,
    model: OpenAIServer,
    live_database: LiveDatabase,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("browser")
    with django_db_blocker.unblock(), service_on(live_database, folder) as service:
        service.settings |= {
            "RAPPORT_WEB_PROCESSES": "1",
            "RAPPORT_EMBEDDING_PROVIDER": "offline",
            "OPENAI_BASE_URL": model.url,
            "RAPPORT_PROVIDER_PRICES": '{"*": [1.5, 6]}',
            "OPENAI_API_KEY": "k",
        }
        service.start_worker()
        service.start_web()
        service.wait_until_ready()
        yield Stage(service)


@pytest.fixture
def desk(chromium: Browser, stage: Stage, signed_in_as: dict[Role, Path]) -> Iterator[Desk]:
    """Opens windows for operators, and checks at the end that no page complained."""
    desk = Desk(chromium, stage, signed_in_as)
    yield desk
    desk.close()


@pytest.fixture(scope="package")
def signed_in_as(
    chromium: Browser, stage: Stage, tmp_path_factory: pytest.TempPathFactory
) -> dict[Role, Path]:
    """The cookies of each operator, who signs in on the page once."""
    folder = tmp_path_factory.mktemp("cookies")
    desk = Desk(chromium, stage, {})
    for role in Role:
        window = desk.open(None)
        desk.sign_in(window, role)
        window.context.storage_state(path=folder / role)
    desk.close()
    return {role: folder / role for role in Role}


@pytest.fixture
def screenshots() -> Path | None:
    """The folder for screenshots, if they are wanted."""
    wanted = os.environ.get("RAPPORT_SCREENSHOTS")
    if not wanted:
        return None
    Path(wanted).mkdir(parents=True, exist_ok=True)
    return Path(wanted)
