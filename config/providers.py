"""The aliases behind which models stand: language models and embedders, from the environment."""

from collections.abc import Mapping
from typing import Any

from config import environment as env

Aliases = dict[str, dict[str, Any]]


def llm_providers() -> Aliases:
    """LLM_PROVIDERS: who answers questions."""
    prices = env.json_object(
        "RAPPORT_PROVIDER_PRICES", hint='write {"model": [input, output]}, USD per million tokens'
    )
    timeout = env.seconds("RAPPORT_PROVIDER_TIMEOUT", 60, low=0.1, high=600)
    return {
        "gemini": {
            "BACKEND": "memory.providers.gemini.GeminiProvider",
            "OPTIONS": {
                **_gemini(),
                "model": env.text("RAPPORT_GEMINI_MODEL"),
                "timeout": timeout,
                "prices": prices,
            },
        },
        "openai": {
            "BACKEND": "memory.providers.openai.OpenAIProvider",
            "OPTIONS": {
                **_openai(),
                "model": env.text("RAPPORT_OPENAI_MODEL"),
                "timeout": timeout,
                "prices": prices,
            },
        },
        "offline": {"BACKEND": "memory.providers.offline.OfflineProvider", "OPTIONS": {}},
    }


def embedding_providers() -> Aliases:
    """EMBEDDING_PROVIDERS: who turns texts into vectors."""
    timeout = env.seconds("RAPPORT_EMBEDDING_TIMEOUT", 30, low=0.1, high=600)
    dimensions = env.whole("RAPPORT_EMBEDDING_DIMENSIONS", 0, high=4000)  # 0: the model's own
    return {
        "gemini": {
            "BACKEND": "memory.embedders.gemini.GeminiEmbedder",
            "OPTIONS": {
                **_gemini(),
                "model": env.text("RAPPORT_GEMINI_EMBEDDING_MODEL"),
                "dimensions": dimensions,
                "timeout": timeout,
            },
        },
        "openai": {
            "BACKEND": "memory.embedders.openai.OpenAIEmbedder",
            "OPTIONS": {
                **_openai(),
                "model": env.text("RAPPORT_OPENAI_EMBEDDING_MODEL"),
                "dimensions": dimensions,
                "timeout": timeout,
            },
        },
        "local": {
            "BACKEND": "memory.embedders.local.LocalEmbedder",
            "OPTIONS": {"model": env.text("RAPPORT_LOCAL_EMBEDDING_MODEL")},
        },
        "offline": {"BACKEND": "memory.embedders.offline.OfflineEmbedder", "OPTIONS": {}},
    }


def default_alias(variable: str, providers: Mapping[str, Mapping[str, Any]]) -> str:
    """The one asked for by `variable`; else the first that has a key; else offline, which says so everywhere."""
    given = env.text(variable)
    if given:
        if given not in providers:
            known = ", ".join(providers)
            env.problem(variable, f"{given!r} is not a provider", f"write one of {known}")
            return "offline"
        return given
    if providers["gemini"]["OPTIONS"]["api_key"]:
        return "gemini"
    if providers["openai"]["OPTIONS"]["api_key"] or providers["openai"]["OPTIONS"]["base_url"]:
        return "openai"
    return "offline"


def default_llm_provider(providers: Aliases) -> str:
    return default_alias("RAPPORT_LLM_PROVIDER", providers)


def default_embedding_provider(providers: Aliases) -> str:
    """An OpenAI-compatible server need not know how to embed, so that one is used only where its model is named."""
    named = env.text("RAPPORT_EMBEDDING_PROVIDER") or providers["openai"]["OPTIONS"]["model"]
    without = {**providers, "openai": {"OPTIONS": {"api_key": "", "base_url": ""}}}
    return default_alias("RAPPORT_EMBEDDING_PROVIDER", providers if named else without)


def _gemini() -> dict[str, Any]:
    return {
        "api_key": env.text("GEMINI_API_KEY") or env.text("GOOGLE_API_KEY"),
        "base_url": env.text("GOOGLE_GEMINI_BASE_URL"),
    }


def _openai() -> dict[str, Any]:
    return {"api_key": env.text("OPENAI_API_KEY"), "base_url": env.text("OPENAI_BASE_URL")}
