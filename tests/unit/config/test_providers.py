"""Which aliases there are, and which one is in use, from the environment."""

from pathlib import Path

import pytest

from config.providers import default_embedding_provider, embedding_providers

VARIABLES = (
    "GEMINI_API_KEY",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "RAPPORT_OPENAI_EMBEDDING_MODEL",
    "RAPPORT_EMBEDDING_PROVIDER",
)
CASES: list[tuple[dict[str, str], str]] = [
    ({}, "offline"),
    ({"GEMINI_API_KEY": "k"}, "gemini"),
    ({"GEMINI_API_KEY": "k", "OPENAI_API_KEY": "k"}, "gemini"),
    ({"OPENAI_API_KEY": "k"}, "openai"),
    ({"OPENAI_BASE_URL": "http://localhost:11434/v1"}, "offline"),
    ({"OPENAI_BASE_URL": "http://localhost:11434/v1", "OPENAI_API_KEY": "k"}, "offline"),
    ({"OPENAI_BASE_URL": "http://localhost:1/v1", "RAPPORT_OPENAI_EMBEDDING_MODEL": "nomic"}, "openai"),
    ({"RAPPORT_EMBEDDING_PROVIDER": "local", "GEMINI_API_KEY": "k"}, "local"),
    ({"RAPPORT_EMBEDDING_PROVIDER": "openai", "OPENAI_BASE_URL": "http://localhost:1/v1"}, "openai"),
]


@pytest.mark.parametrize(("environment", "alias"), CASES, ids=[str(given) for given, _ in CASES])
def test_the_default_embedder_is_the_one_that_is_set_up(
    environment: dict[str, str], alias: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert default_embedding_provider(embedding_providers(Path("models"))) == alias


def test_the_variables_of_embedders_reach_their_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAPPORT_EMBEDDING_DIMENSIONS", "256")
    monkeypatch.setenv("RAPPORT_EMBEDDING_TIMEOUT", "7")
    monkeypatch.setenv("RAPPORT_GEMINI_EMBEDDING_MODEL", "gemini-embedding-001")
    monkeypatch.setenv("RAPPORT_LOCAL_EMBEDDING_MODEL", "./minilm")

    providers = embedding_providers(Path("models"))

    gemini = providers["gemini"]["OPTIONS"]
    assert (gemini["dimensions"], gemini["timeout"], gemini["model"]) == (256, 7.0, "gemini-embedding-001")
    assert providers["local"]["OPTIONS"] == {"model": "./minilm", "folder": Path("models")}
