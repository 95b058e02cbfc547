"""Language models behind aliases: `get_provider("gemini").complete(CompletionRequest(...))`."""

from providers.llm.registry import get_provider, provider_problems, reset_providers

__all__ = ["get_provider", "provider_problems", "reset_providers"]
