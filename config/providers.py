"""The aliases of language models and embedders, from the environment."""

from pathlib import Path
from typing import Any

from config import environment as env

Aliases = dict[str, dict[str, Any]]
_PRICES = 'write {"model": [input, output]}, USD per million tokens'


def llm_providers() -> Aliases:
    """LLM_PROVIDERS: the language models."""
    options = {
        "timeout": env.seconds("RAPPORT_PROVIDER_TIMEOUT", 60, low=0.1, high=600),
        "deadline": env.seconds("RAPPORT_PROVIDER_DEADLINE", 0, high=3600),  # 0: twice the timeout
        "max_in_flight": env.whole("RAPPORT_PROVIDER_MAX_IN_FLIGHT", 0, high=10_000),  # of a process; 0: any
        "prices": env.json_object("RAPPORT_PROVIDER_PRICES", hint=_PRICES),
    }
    gemini = {**_gemini(), "model": env.text("RAPPORT_GEMINI_MODEL"), **options}
    openai = {**_openai(), "model": env.text("RAPPORT_OPENAI_MODEL"), **options}
    return {
        "gemini": {"BACKEND": "providers.llm.gemini.GeminiProvider", "OPTIONS": gemini},
        "openai": {"BACKEND": "providers.llm.openai.OpenAIProvider", "OPTIONS": openai},
        "offline": {"BACKEND": "providers.llm.offline.OfflineProvider", "OPTIONS": {}},
    }


def embedding_providers(models_dir: Path) -> Aliases:
    """EMBEDDING_PROVIDERS: the embedders. `models_dir` is the folder of local models' files."""
    options = {
        "dimensions": env.whole("RAPPORT_EMBEDDING_DIMENSIONS", 0, high=4000),  # 0: the model's own
        "timeout": env.seconds("RAPPORT_EMBEDDING_TIMEOUT", 30, low=0.1, high=600),
        "deadline": env.seconds("RAPPORT_EMBEDDING_DEADLINE", 0, high=3600),  # 0: twice the timeout
    }
    gemini = {**_gemini(), "model": env.text("RAPPORT_GEMINI_EMBEDDING_MODEL"), **options}
    openai = {**_openai(), "model": env.text("RAPPORT_OPENAI_EMBEDDING_MODEL"), **options}
    local = {"model": env.text("RAPPORT_LOCAL_EMBEDDING_MODEL"), "folder": models_dir}
    return {
        "gemini": {"BACKEND": "providers.embeddings.gemini.GeminiEmbedder", "OPTIONS": gemini},
        "openai": {"BACKEND": "providers.embeddings.openai.OpenAIEmbedder", "OPTIONS": openai},
        "local": {"BACKEND": "providers.embeddings.local.LocalEmbedder", "OPTIONS": local},
        "offline": {"BACKEND": "providers.embeddings.offline.OfflineEmbedder", "OPTIONS": {}},
    }


def cross_encoder(models_dir: Path) -> dict[str, Any]:
    """CROSS_ENCODER: the model of the reranker `cross_encoder`, in the same folder as the local embedder's."""
    return {"model": env.text("RAPPORT_CROSS_ENCODER_MODEL"), "folder": models_dir}


def longest_call(*aliases: Aliases) -> float:
    """The longest that a call to any of them may take, in seconds."""
    options = [spec["OPTIONS"] for some in aliases for spec in some.values()]
    return float(max(each["deadline"] or 2 * each["timeout"] for each in options if "timeout" in each))


def default_llm_provider(providers: Aliases) -> str:
    given = env.text("RAPPORT_LLM_PROVIDER")
    return _known("RAPPORT_LLM_PROVIDER", given, providers) if given else _first_with_a_key(providers)


def default_embedding_provider(providers: Aliases) -> str:
    """Chosen like the default language model, but an own OpenAI server only if it has an embedding model's name."""
    given = env.text("RAPPORT_EMBEDDING_PROVIDER")
    if given:
        return _known("RAPPORT_EMBEDDING_PROVIDER", given, providers)
    openai = providers["openai"]["OPTIONS"]
    if openai["base_url"] and not openai["model"]:
        providers = {**providers, "openai": {"OPTIONS": {**openai, "base_url": "", "api_key": ""}}}
    return _first_with_a_key(providers)


def _known(variable: str, given: str, providers: Aliases) -> str:
    if given in providers:
        return given
    env.problem(variable, f"{given!r} is not a provider", f"write one of {', '.join(providers)}")
    return "offline"


def _first_with_a_key(providers: Aliases) -> str:
    """The first provider with a key; `offline`, which says what it is wherever it is used, if none has one."""
    if providers["gemini"]["OPTIONS"]["api_key"]:
        return "gemini"
    if providers["openai"]["OPTIONS"]["api_key"] or providers["openai"]["OPTIONS"]["base_url"]:
        return "openai"
    return "offline"


def _gemini() -> dict[str, Any]:
    return {
        "api_key": env.text("GEMINI_API_KEY") or env.text("GOOGLE_API_KEY"),
        "base_url": env.text("GOOGLE_GEMINI_BASE_URL"),
    }


def _openai() -> dict[str, Any]:
    return {"api_key": env.text("OPENAI_API_KEY"), "base_url": env.text("OPENAI_BASE_URL")}
