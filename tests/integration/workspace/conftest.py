from collections.abc import Iterator

import pytest
from pytest_django.fixtures import Settings

from relationships.models import Companion, Relationship
from tests.fixtures.weather import WeatherServer, weather_server


@pytest.fixture
def weather(settings: Settings) -> Iterator[WeatherServer]:
    settings.ALLOW_PRIVATE_ADDRESSES = True
    with weather_server() as server:
        yield server


@pytest.fixture
def pair(relationship: Relationship) -> Relationship:
    Companion.objects.filter(id=relationship.companion_id).update(
        config={"workspace": {"provider": "scripted"}}
    )
    return Relationship.objects.select_related("companion", "user", "project").get(id=relationship.id)


@pytest.fixture
def files(relationship: Relationship) -> str:
    return f"/relationships/{relationship.id}/files"
