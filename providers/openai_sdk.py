"""The openai SDK for language models and embedders: its client, and how its failures are mapped."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx2
import openai as sdk

from providers.endpoint import NOT_UNDERSTOOD, Endpoint
from providers.errors import ContentBlocked, ProviderError, QuotaExhausted, Unauthorized
from providers.options import EndpointOptions
from providers.statuses import error_class, retry_after_seconds
from web import deadline

BLOCKED_CODES = {"content_filter", "content_policy_violation", "moderation_blocked"}
QUOTA_CODES = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}


class OpenAIEndpoint(Endpoint):
    """An endpoint whose client makes each call once: the SDK's retries are off, the caller repeats failed calls."""

    vendor = "The OpenAI-compatible server"
    vendor_url = "https://api.openai.com/v1"
    key_variable = "OPENAI_API_KEY"

    def _set_up(self, options: EndpointOptions) -> None:
        super()._set_up(options)
        self.key_needed = self._is_the_vendor()  # other servers may not need a key
        self._http = sdk.DefaultHttpxClient(**self._client_settings())
        deadline.bind(self._http)
        self._client = sdk.OpenAI(
            api_key=self._key or "none",
            base_url=self.base_url,
            timeout=options.timeout,
            max_retries=0,
            http_client=self._http,
        )

    @contextmanager
    def _asking(self, *, timeout: float | None = None) -> Iterator[None]:
        """Wrap a call. Raises the SDK's APIStatusError if the server refused it, otherwise ProviderError."""
        try:
            yield
        except (sdk.APIStatusError, ProviderError):
            raise
        except sdk.APIConnectionError as error:
            raise self._transport_error(error.__cause__ or error, timeout=timeout) from error
        except (sdk.APIError, httpx2.HTTPError, *NOT_UNDERSTOOD) as error:
            raise self._transport_error(error, timeout=timeout) from error


def openai_error(error: sdk.APIStatusError, *, quote: Callable[[object], str]) -> ProviderError:
    """The error for an answer outside 2xx. `quote` shortens and masks the server's words."""
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
    )


def complaint(error: sdk.APIStatusError) -> str:
    """The server's message and the parameter it names. The body may be an object, a string, or not JSON."""
    body = error.body
    words = body.get("message") or body.get("detail") if isinstance(body, dict) else body
    return " ".join(str(part) for part in (words or error.message, error.param) if part)


def _is_flagged(body: object) -> bool:
    """Return whether it is OpenRouter's 403 for a moderated prompt, which does not concern the key."""
    metadata = body.get("metadata") if isinstance(body, dict) else None
    return isinstance(metadata, dict) and "flagged_input" in metadata
