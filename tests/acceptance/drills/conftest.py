import os
from collections.abc import Iterator

import pytest
from django.db import connection

from config.registries import RECIPES
from tests.acceptance.drills.talk import note_down
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from upkeep.verification import verify

# Retries are soon and dead workers are noticed at once, so that a drill takes only seconds.
QUICK = {
    "RAPPORT_WATCHDOG_SECONDS": "2",
    "RAPPORT_SWEEP_SECONDS": "0.3",
    "RAPPORT_RETRY_BASE_SECONDS": "0.1",
    "RAPPORT_RETRY_CAP_SECONDS": "1",
    "RAPPORT_MAX_ATTEMPTS": "1000",
}


RECIPE = os.environ.get("RAPPORT_DRILLS_RECIPE", "scratchpad")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each drill under the recipe in RAPPORT_DRILLS_RECIPE, or under `all` of them."""
    if "recipe" not in metafunc.fixturenames:
        return
    if RECIPE != "all" and RECIPE not in RECIPES:
        raise pytest.UsageError(f"There is no recipe {RECIPE!r}. Known: all, {', '.join(RECIPES)}.")
    metafunc.parametrize("recipe", list(RECIPES) if RECIPE == "all" else [RECIPE])


@pytest.fixture(autouse=True)
def every_invariant_holds_at_the_end(request: pytest.FixtureRequest) -> Iterator[None]:
    """Check that `verify` finds nothing, whatever was killed, while the rest still runs."""
    service = next(name for name in ("own_live", "live", "distributed") if name in request.fixturenames)
    request.getfixturevalue(service)  # so that this ends before the service does
    yield
    connection.close()  # in case it died with its server
    report = verify()
    assert report.relationships > 0
    assert not report.found, "\n".join(report.lines())


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer(respond=note_down) as server:
        yield server


@pytest.fixture
def drilled(live: LiveService, model: OpenAIServer, recipe: str) -> LiveService:
    """A service without processes yet, whose model is `model` and whose companion follows the recipe."""
    return ask(live, model, recipe)


@pytest.fixture
def drilled_alone(own_live: LiveService, model: OpenAIServer, recipe: str) -> LiveService:
    """The same on a database server of its own."""
    return ask(own_live, model, recipe)


def ask(service: LiveService, model: OpenAIServer, recipe: str) -> LiveService:
    service.companion_config = {"recipe": recipe}
    service.settings |= QUICK | {
        "RAPPORT_LLM_PROVIDER": "openai",
        "RAPPORT_EMBEDDING_PROVIDER": "offline",
        "OPENAI_BASE_URL": model.url,
        "OPENAI_API_KEY": "k",
    }
    return service
