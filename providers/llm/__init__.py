"""Language models, behind aliases. `get_provider("gemini").complete(CompletionRequest(...))`."""

from providers.llm.base import (
    Completion,
    CompletionRequest,
    IngestionMaterial,
    LLMProvider,
    NumberedEntry,
    NumberedMessage,
)
from providers.llm.registry import get_provider, provider_problems, reset_providers

__all__ = [
    "Completion",
    "CompletionRequest",
    "IngestionMaterial",
    "LLMProvider",
    "NumberedEntry",
    "NumberedMessage",
    "get_provider",
    "provider_problems",
    "reset_providers",
]
