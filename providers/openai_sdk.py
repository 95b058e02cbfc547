"""The openai SDK as Rapport uses it, for language models and embedders alike: its client, and what failures mean."""

from collections.abc import Callable

import httpx2
import openai as sdk

from providers.errors import ContentBlocked, ProviderError, QuotaExhausted, Unauthorized
from providers.statuses import error_class, retry_after_seconds
from web import deadline

BLOCKED_CODES = {"content_filter", "content_policy_violation", "moderation_blocked"}
QUOTA_CODES = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}


def openai_client(http: httpx2.Client, *, key: str, base_url: str, timeout: float) -> sdk.OpenAI:
    """A client that asks each thing once: its own retries stay off, a failed call is the asker's to repeat."""
    deadline.bind(http)
    return sdk.OpenAI(
        api_key=key or "none", base_url=base_url, timeout=timeout, max_retries=0, http_client=http
    )


def openai_error(error: sdk.APIStatusError, *, quote: Callable[[object], str]) -> ProviderError:
    """The error that an answer outside 2xx stands for. `quote` makes the server's words fit to be shown."""
    kind = error_class(error.status_code)
    if error.code in BLOCKED_CODES or _is_flagged(error.body):
        kind = ContentBlocked
    elif error.code in QUOTA_CODES:
        kind = QuotaExhausted
    elif error.code == "invalid_api_key":
        kind = Unauthorized
    return kind(
        f"The server answered {error.status_code}: {quote(complaint(error))}",
        retry_after=retry_after_seconds(error.response.headers),
        status=error.status_code,
    )


def complaint(error: sdk.APIStatusError) -> str:
    """The server's words and the parameter it names. The body may be an object, a string, or no JSON."""
    body = error.body
    words = body.get("message") or body.get("detail") if isinstance(body, dict) else body
    return " ".join(str(part) for part in (words or error.message, error.param) if part)


def _is_flagged(body: object) -> bool:
    """OpenRouter's 403 for a moderated prompt: the key is fine, the words are not."""
    metadata = body.get("metadata") if isinstance(body, dict) else None
    return isinstance(metadata, dict) and "flagged_input" in metadata
