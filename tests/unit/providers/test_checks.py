from decimal import Decimal

import pytest
from pytest_django.fixtures import Settings

from providers.checks import (
    check_budget,
    check_embedders,
    check_leases,
    check_listening,
    check_providers,
    check_queue,
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


def test_an_embedder_that_nobody_uses_may_be_broken(settings: Settings) -> None:
    settings.EMBEDDING_PROVIDERS = {
        **settings.EMBEDDING_PROVIDERS,
        "broken": {"BACKEND": "providers.embeddings.nowhere.Embedder"},
    }
    assert check_embedders() == []


@pytest.mark.parametrize(("name", "value"), [("max_attempts", 3), ("ack_failures", False)])
def test_a_queue_that_would_repeat_work_is_refused(settings: Settings, name: str, value: object) -> None:
    settings.Q_CLUSTER = {**settings.Q_CLUSTER, name: value}
    (error,) = check_queue()
    assert error.id == "memory.E002"
    assert name in error.msg


def test_the_queue_as_it_is_set_up_is_in_order() -> None:
    assert check_queue() == []


def test_a_lease_must_last_as_long_as_a_call(settings: Settings) -> None:
    settings.LEASE_SECONDS, settings.CALL_SECONDS = 100.0, 120.0

    (error,) = check_leases()

    assert error.id == "memory.E004"
    assert "RAPPORT_LEASE_SECONDS is 100, less than the 120 seconds" in error.msg


@pytest.mark.parametrize(
    ("name", "value"), [pytest.param("timeout", 120, id="a task"), pytest.param("retry", 300, id="its retry")]
)
def test_a_task_must_last_longer_than_a_call(settings: Settings, name: str, value: int) -> None:
    settings.CALL_SECONDS = 120.0
    settings.Q_CLUSTER = {**settings.Q_CLUSTER, "timeout": 300, "retry": 600, name: value}

    (error,) = check_leases()

    assert error.id == "memory.E004"
    assert f"Q_CLUSTER['{name}'] is {value}" in error.msg


def test_leases_as_they_are_set_up_are_in_order() -> None:
    assert check_leases() == []


def test_behind_a_pooler_a_direct_address_is_asked_for(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(settings.DATABASES["default"]["OPTIONS"], "prepare_threshold")

    (warning,) = check_listening()
    assert warning.id == "memory.W002"
    assert "DATABASE_DIRECT_URL" in (warning.hint or "")

    settings.DATABASE_DIRECT_URL = "postgresql://rapport@localhost/rapport"
    assert check_listening() == []


def test_without_a_pooler_none_is() -> None:
    assert check_listening() == []
