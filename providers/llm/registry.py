"""The language models behind the aliases of LLM_PROVIDERS."""

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
