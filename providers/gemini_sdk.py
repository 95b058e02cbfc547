"""google-genai for language models and embedders: its client, and how its failures are mapped.

Imported at first use: the SDK takes a second and 34 MB.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx2
from google import genai
from google.genai import errors as sdk_errors
from google.genai import types
from pydantic import BaseModel

from providers.endpoint import NOT_UNDERSTOOD, Endpoint
from providers.errors import ProviderError, ProviderMisconfigured, Unauthorized
from providers.statuses import error_class, retry_after_seconds
from web import deadline

Config = TypeVar("Config", bound=BaseModel)

# Any number, as the readers are limited: by default a call waits for one of 100, and fails as a timeout.
_CONNECTIONS = httpx2.Limits(max_connections=None, max_keepalive_connections=100)


class GeminiEndpoint(Endpoint):
    """An endpoint whose client makes each call once: the SDK's retries are off, the caller repeats failed calls."""

    vendor = "Gemini"
    vendor_url = "https://generativelanguage.googleapis.com"
    key_variable = "GEMINI_API_KEY"

    def _set_up(self, options: Any) -> None:
        super()._set_up(options)
        settings = self._client_settings()
        self._http = httpx2.Client(**settings, limits=_CONNECTIONS)
        deadline.bind(self._http)
        self._client = genai.Client(
            enterprise=False,  # whatever the environment says
            api_key=self._key or "none",
            http_options=types.HttpOptions(
                base_url=self.base_url,
                api_version=options.api_version,
                timeout=round(options.timeout * 1000),
                httpx_client=self._http,
                client_args={"verify": settings["verify"]},  # otherwise it reads the certificates twice more
                async_client_args={"ssl": settings["verify"]},
            ),
        )

    def _request_fields(self, kind: type[Config], extra: Mapping[str, Any]) -> Config:
        """Parse the operator's `extra` fields. Raises ProviderMisconfigured."""
        try:
            return kind.model_validate(extra)
        except ValueError as error:
            raise ProviderMisconfigured(
                f"extra: Gemini has no such request fields. {self._quote(error)}"
            ) from error

    @contextmanager
    def _asking(self, *, timeout: float | None = None) -> Iterator[None]:
        """Wrap a call of the client. Raises ProviderError for any failure."""
        try:
            yield
        except sdk_errors.APIError as error:
            raise gemini_error(error, quote=self._quote) from error
        except (httpx2.HTTPError, *NOT_UNDERSTOOD) as error:
            raise self._transport_error(error, timeout=timeout) from error


def with_given(extra: Config, wanted: Mapping[str, Any]) -> Config:
    """The request's configuration: the operator's `extra`, overridden by those of `wanted` that are not None."""
    return extra.model_copy(update={name: value for name, value in wanted.items() if value is not None})


def gemini_error(error: sdk_errors.APIError, *, quote: Callable[[object], str]) -> ProviderError:
    """The error for an answer outside 2xx. `quote` shortens and masks Gemini's words."""
    body = error.details if isinstance(error.details, dict) else {}
    inner = body.get("error")
    stated = inner.get("details") if isinstance(inner, dict) else None
    details = [detail for detail in stated or () if isinstance(detail, dict)]
    kind = error_class(error.code)
    if "API_KEY_INVALID" in {detail.get("reason") for detail in details}:
        kind = Unauthorized  # Gemini answers 400 to an unknown key
    elif error.code == 400 and error.status == "FAILED_PRECONDITION":
        kind = ProviderMisconfigured  # caused by the account's country or billing, not by this request
    headers = getattr(error.response, "headers", None) or {}
    wait = _retry_delay(details)
    return kind(
        f"Gemini answered {error.code}: {quote(error.message or error.status)}",
        retry_after=wait if wait is not None else retry_after_seconds(headers),
    )


def _retry_delay(details: list[dict[str, Any]]) -> float | None:
    """The delay in Google's RetryInfo, such as "3.5s"."""
    for detail in details:
        delay = detail.get("retryDelay")
        if isinstance(delay, str) and delay.endswith("s"):
            return retry_after_seconds({"retry-after": delay[:-1]})
    return None
