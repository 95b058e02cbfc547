"""The embedders behind the aliases of EMBEDDING_PROVIDERS."""

from django.conf import settings
from pydantic import BaseModel

from providers.aliases import Aliases
from providers.embeddings.base import Embedder
from providers.embeddings.local import local_problems
from providers.embeddings.options import (
    GeminiEmbedderOptions,
    HostedEmbedderOptions,
    LocalEmbedderOptions,
)
from providers.errors import ProviderError
from providers.options import read_options

DEFAULT_EMBEDDER = "default"  # stands for DEFAULT_EMBEDDING_PROVIDER
LOCAL = "providers.embeddings.local.LocalEmbedder"
# Options that can be checked without importing the backend.
OPTIONS_BY_BACKEND: dict[str, type[BaseModel]] = {
    "providers.embeddings.gemini.GeminiEmbedder": GeminiEmbedderOptions,
    "providers.embeddings.openai.OpenAIEmbedder": HostedEmbedderOptions,
    LOCAL: LocalEmbedderOptions,
}
EMBEDDERS: Aliases[Embedder] = Aliases("EMBEDDING_PROVIDERS", noun="embedder", options=OPTIONS_BY_BACKEND)
get_embedder, reset_embedders = EMBEDDERS.get, EMBEDDERS.reset


def embedder_of(alias: str | None) -> Embedder | None:
    """Return the embedder that a configuration names; None if it wants no vectors. Raises ProviderMisconfigured."""
    if alias is None:
        return None
    return get_embedder(settings.DEFAULT_EMBEDDING_PROVIDER if alias == DEFAULT_EMBEDDER else alias)


def working_embedder(alias: str | None) -> Embedder | None:
    """Like `embedder_of`, but None, too, if the embedder can't work, which whoever needs a vector reports."""
    try:
        return embedder_of(alias)
    except ProviderError:
        return None


def near_from(alias: str | None) -> float:
    """The lowest cosine at which a passage counts as relevant to a question; 1 if there are no vectors to compare."""
    embedder = working_embedder(alias)
    return 1.0 if embedder is None else embedder.near_from


def embedder_problems(alias: str, spec: object) -> list[str]:
    """Return what is wrong with one entry of EMBEDDING_PROVIDERS, as sentences. Imports no SDK."""
    problems = EMBEDDERS.problems(alias, spec)
    if problems or not isinstance(spec, dict) or spec["BACKEND"] != LOCAL:
        return problems
    lacking = local_problems(read_options(LocalEmbedderOptions, spec.get("OPTIONS", {})))
    return [f"EMBEDDING_PROVIDERS[{alias!r}]: {problem}" for problem in lacking]
