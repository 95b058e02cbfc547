import pytest
from pytest_django.fixtures import Settings

from providers.errors import ExternalRefused
from providers.reach import is_loopback, refuse_external

HERE = [
    "http://localhost:11434/v1",
    "http://127.0.0.1",
    "http://127.9.9.9:1",
    "http://[::1]:8080",
    "http://LOCALHOST",
]
ELSEWHERE = [
    "https://api.openai.com/v1",
    "http://10.0.0.1",
    "http://127.0.0.1.example.org",
    "http://127.0.0.1@example.org/",
    "http://localhost.example.org",
    "http://0.0.0.0",
    "http://2130706433",
    "http://[::ffff:8.8.8.8]",
    "http://[broken",
    "",
]


@pytest.mark.parametrize("address", HERE)
def test_this_machine_may_always_be_asked(address: str, settings: Settings) -> None:
    settings.ALLOW_EXTERNAL_PROVIDERS = False

    refuse_external(address)

    assert is_loopback(address)


@pytest.mark.parametrize("address", ELSEWHERE)
def test_anything_else_is_refused_while_the_switch_is_off(address: str, settings: Settings) -> None:
    settings.ALLOW_EXTERNAL_PROVIDERS = False

    with pytest.raises(ExternalRefused, match="ALLOW_EXTERNAL_PROVIDERS is off"):
        refuse_external(address)


def test_the_switch_opens_the_world(settings: Settings) -> None:
    settings.ALLOW_EXTERNAL_PROVIDERS = True

    refuse_external("https://api.openai.com/v1")
