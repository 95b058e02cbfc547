from collections.abc import Iterator

import pytest
from pytest_django.fixtures import Settings

from tests.fixtures.weather import WeatherServer, weather_server


@pytest.fixture
def weather(settings: Settings) -> Iterator[WeatherServer]:
    settings.ALLOW_PRIVATE_ADDRESSES = True
    with weather_server() as server:
        yield server
