from collections.abc import Iterator

import pytest

from tests.acceptance.drills.talk import note_down
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer

# Retries come soon and dead workers are noticed at once, so that a drill is over in seconds.
QUICK = {
    "RAPPORT_WATCHDOG_SECONDS": "2",
    "RAPPORT_SWEEP_SECONDS": "0.3",
    "RAPPORT_RETRY_BASE_SECONDS": "0.1",
    "RAPPORT_RETRY_CAP_SECONDS": "1",
    "RAPPORT_MAX_ATTEMPTS": "1000",
}


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer(respond=note_down) as server:
        yield server


@pytest.fixture
def drilled(live: LiveService, model: OpenAIServer) -> LiveService:
    """No process yet; what is started asks `model`."""
    return ask(live, model)


@pytest.fixture
def drilled_alone(own_live: LiveService, model: OpenAIServer) -> LiveService:
    """The same on a database server of its own."""
    return ask(own_live, model)


def ask(service: LiveService, model: OpenAIServer) -> LiveService:
    service.settings |= QUICK | {
        "RAPPORT_LLM_PROVIDER": "openai",
        "OPENAI_BASE_URL": model.url,
        "OPENAI_API_KEY": "k",
    }
    return service
