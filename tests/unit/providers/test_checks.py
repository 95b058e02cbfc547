from decimal import Decimal

import pytest
from pytest_django.fixtures import Settings

from providers.checks import (
    check_budget,
    check_embedders,
    check_providers,
)


def test_the_provider_in_use_must_be_set_up(settings: Settings) -> None:
    settings.DEFAULT_LLM_PROVIDER = "broken"
    settings.LLM_PROVIDERS = {
        **settings.LLM_PROVIDERS,
        "broken": {"BACKEND": "providers.llm.nowhere.Provider"},
    }
    (error,) = check_providers()
    assert error.id == "memory.E001"
    assert "providers.llm.nowhere" in error.msg


def test_a_provider_that_nobody_uses_may_be_broken(settings: Settings) -> None:
    settings.LLM_PROVIDERS = {
        **settings.LLM_PROVIDERS,
        "broken": {"BACKEND": "providers.llm.nowhere.Provider"},
    }
    assert check_providers() == []


@pytest.mark.parametrize(
    ("usd", "prices", "warned"),
    [("5", {}, True), ("5", {"own*": [1, 2]}, False), ("0", {}, False)],
    ids=["no price", "a price", "no budget"],
)
def test_a_budget_in_dollars_needs_prices(
    usd: str, prices: dict[str, list[int]], warned: bool, settings: Settings
) -> None:
    openai = settings.LLM_PROVIDERS["openai"]
    options = {**openai["OPTIONS"], "prices": prices}
    settings.LLM_PROVIDERS = {**settings.LLM_PROVIDERS, "openai": {**openai, "OPTIONS": options}}
    settings.DEFAULT_LLM_PROVIDER = "openai"
    settings.PROJECT_DAILY_USD = Decimal(usd)

    assert [found.id for found in check_budget()] == ["memory.W001"] * warned


def test_the_default_embedder_must_be_set_up(settings: Settings) -> None:
    settings.DEFAULT_EMBEDDING_PROVIDER = "broken"
    settings.EMBEDDING_PROVIDERS = {
        **settings.EMBEDDING_PROVIDERS,
        "broken": {"BACKEND": "providers.embeddings.gemini.GeminiEmbedder", "OPTIONS": {"dimension": 768}},
    }
    (error,) = check_embedders()
    assert error.id == "memory.E003"
    assert "There is no option dimension. Did you mean dimensions?" in error.msg
