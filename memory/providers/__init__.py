"""Language models, behind aliases. `get_provider("gemini").complete(CompletionRequest(...))`."""

from memory.providers.base import (
    Completion,
    CompletionRequest,
    IngestionMaterial,
    LLMProvider,
    NumberedEntry,
    NumberedMessage,
)
from memory.providers.registry import get_provider, provider_problems, reset_providers

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
