"""The language models behind the aliases of LLM_PROVIDERS."""

from django.conf import settings
from pydantic import BaseModel

from providers.aliases import Aliases
from providers.llm.base import LLMProvider
from providers.options import GeminiOptions, HostedOptions

# Options that can be checked without importing the SDK.
OPTIONS_BY_BACKEND: dict[str, type[BaseModel]] = {
    "providers.llm.gemini.GeminiProvider": GeminiOptions,
    "providers.llm.openai.OpenAIProvider": HostedOptions,
}
PROVIDERS: Aliases[LLMProvider] = Aliases("LLM_PROVIDERS", noun="provider", options=OPTIONS_BY_BACKEND)
get_provider, reset_providers, provider_problems = PROVIDERS.get, PROVIDERS.reset, PROVIDERS.problems


def provider_of(*aliases: str | None) -> LLMProvider:
    """The provider of the first alias that is not null; the service's own if all are. Raises ProviderMisconfigured."""
    return get_provider(next(filter(None, aliases), settings.DEFAULT_LLM_PROVIDER))
