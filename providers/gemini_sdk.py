"""google-genai as Rapport uses it, for language models and embedders alike: its client, and what failures mean.

Imported at first use only: the SDK takes a second and 34 MB.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import httpx2
from google import genai
from google.genai import errors as sdk_errors
from google.genai import types
from pydantic import BaseModel

from providers.errors import ProviderError, ProviderMisconfigured, Unauthorized
from providers.statuses import error_class, retry_after_seconds
from web import deadline

Config = TypeVar("Config", bound=BaseModel)


def gemini_client(
    http: httpx2.Client, *, key: str, base_url: str, api_version: str, timeout: float
) -> genai.Client:
    """A client that asks each thing once: its own retries stay off, a failed call is the asker's to repeat."""
    deadline.bind(http)
    return genai.Client(
        enterprise=False,  # whatever the environment says
        api_key=key or "none",
        http_options=types.HttpOptions(
            base_url=base_url, api_version=api_version, timeout=round(timeout * 1000), httpx_client=http
        ),
    )


def with_given(extra: Config, wanted: Mapping[str, Any]) -> Config:
    """The request's configuration: an operator's `extra`, with those of the wanted that are not None."""
    return extra.model_copy(update={name: value for name, value in wanted.items() if value is not None})


def gemini_error(error: sdk_errors.APIError, *, quote: Callable[[object], str]) -> ProviderError:
    """The error that an answer outside 2xx stands for. `quote` makes Gemini's words fit to be shown."""
    details = _error_details(error)
    kind = error_class(error.code)
    if "API_KEY_INVALID" in {detail.get("reason") for detail in details}:
        kind = Unauthorized  # Gemini says 400 to a key that it does not know
    elif error.code == 400 and error.status == "FAILED_PRECONDITION":
        kind = ProviderMisconfigured  # the account's country or billing, not this request
    headers = getattr(error.response, "headers", None) or {}
    wait = _retry_delay(details)
    return kind(
        f"Gemini answered {error.code}: {quote(error.message or error.status)}",
        retry_after=wait if wait is not None else retry_after_seconds(headers),
        status=error.code,
    )


def _error_details(error: sdk_errors.APIError) -> list[dict[str, Any]]:
    body = error.details if isinstance(error.details, dict) else {}
    inner = body.get("error")
    details = inner.get("details") if isinstance(inner, dict) else None
    return [detail for detail in details or () if isinstance(detail, dict)]


def _retry_delay(details: list[dict[str, Any]]) -> float | None:
    """Google's RetryInfo says when to come back, as in "3.5s"."""
    for detail in details:
        delay = detail.get("retryDelay")
        if isinstance(delay, str) and delay.endswith("s"):
            return retry_after_seconds({"retry-after": delay[:-1]})
    return None
