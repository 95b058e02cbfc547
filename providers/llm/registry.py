"""Which language model stands behind an alias of LLM_PROVIDERS."""

from pydantic import BaseModel

from providers.aliases import Aliases
from providers.llm.base import LLMProvider
from providers.options import GeminiOptions, HostedOptions

# Options that can be checked without importing the SDK behind them.
OPTIONS_BY_BACKEND: dict[str, type[BaseModel]] = {
    "providers.llm.gemini.GeminiProvider": GeminiOptions,
    "providers.llm.openai.OpenAIProvider": HostedOptions,
}
PROVIDERS: Aliases[LLMProvider] = Aliases("LLM_PROVIDERS", noun="provider", options=OPTIONS_BY_BACKEND)


def get_provider(alias: str) -> LLMProvider:
    """The provider of that alias in LLM_PROVIDERS. Raises ProviderMisconfigured."""
    return PROVIDERS.get(alias)


def reset_providers() -> None:
    """Forget this process's instances, so that changed settings are read again."""
    PROVIDERS.reset()


def provider_problems(alias: str, spec: object) -> list[str]:
    """What is wrong with one entry of LLM_PROVIDERS, in sentences; empty if nothing is. Imports no SDK."""
    return PROVIDERS.problems(alias, spec)
