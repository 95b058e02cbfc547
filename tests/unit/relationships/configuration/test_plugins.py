import pytest
from pytest_django.fixtures import Settings

from relationships.configuration.plugins import known_slug


def test_an_unknown_slug_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'x' is not a known strategy; known: operations"):
        known_slug("INGESTION_STRATEGIES", "x")


def test_an_outsiders_own_is_taken_from_a_module_the_operator_named(settings: Settings) -> None:
    settings.PLUGINS = ["tests.waiting"]

    assert known_slug("CONTEXT_FORMATS", "tests.waiting.wait_until") == "tests.waiting.wait_until"
    with pytest.raises(ValueError, match="not a known format"):
        known_slug("CONTEXT_FORMATS", "tests.waiting_not.wait_until")
    with pytest.raises(ValueError, match="not a known format"):
        known_slug("CONTEXT_FORMATS", "tests.waiting.nothing")


def test_a_provider_is_an_account_and_never_a_dotted_path(settings: Settings) -> None:
    settings.PLUGINS = ["tests.fakes"]

    with pytest.raises(ValueError, match="not a known provider"):
        known_slug("LLM_PROVIDERS", "tests.fakes.ScriptedProvider")
