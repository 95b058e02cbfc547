"""Language models, behind aliases. `get_provider("gemini").complete(CompletionRequest(...))`."""

from providers.llm.base import (
    Completion,
    CompletionRequest,
    LLMProvider,
    NumberedEntry,
    NumberedMessage,
    PromptData,
)
from providers.llm.registry import get_provider, provider_problems, reset_providers

__all__ = [
    "Completion",
    "CompletionRequest",
    "LLMProvider",
    "NumberedEntry",
    "NumberedMessage",
    "PromptData",
    "get_provider",
    "provider_problems",
    "reset_providers",
]
