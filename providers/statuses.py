"""Maps HTTP statuses of all vendors to errors, and reads how long to wait."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from providers.errors import (
    ModelNotFound,
    ProviderError,
    ProviderMisconfigured,
    ProviderTimeout,
    ProviderUnavailable,
    QuotaExhausted,
    RateLimited,
    RequestRefused,
    Unauthorized,
)

_BY_STATUS: dict[int, type[ProviderError]] = {
    401: Unauthorized,
    402: QuotaExhausted,
    403: Unauthorized,
    404: ModelNotFound,
    408: ProviderTimeout,
    409: ProviderUnavailable,
    425: ProviderUnavailable,
    429: RateLimited,
    499: ProviderUnavailable,
    504: ProviderTimeout,
}
LONGEST_QUOTATION = 300  # characters quoted from the vendor
SHORT_KEY = 8  # characters; no real key is shorter


def error_class(status: int) -> type[ProviderError]:
    """The error for an HTTP status outside 2xx."""
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status >= 500:
        return ProviderUnavailable
    if status >= 400:
        return RequestRefused
    # A redirect: the base URL is not the final one, and the key is not sent elsewhere.
    return ProviderMisconfigured


def quotation(words: str, *, secret: str = "") -> str:
    """The vendor's words on one line, shortened, with the key masked: a short one, such as the "x" that many a local
    server is given, only where it is a word of its own.
    """
    if secret:
        edge = r"\b" if len(secret) < SHORT_KEY and secret.isalnum() else ""
        words = re.sub(f"{edge}{re.escape(secret)}{edge}", "***", words)
    line = " ".join(words.split())
    return line if len(line) <= LONGEST_QUOTATION else line[: LONGEST_QUOTATION - 1] + "…"


def retry_after_seconds(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """The wait that the headers ask for: Retry-After (seconds or a date) or retry-after-ms."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    stated = headers.get("retry-after")
    seconds = _number(stated)
    if seconds is not None or not stated:
        return seconds
    try:
        moment = parsedate_to_datetime(stated)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
