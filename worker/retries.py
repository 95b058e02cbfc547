"""How long what failed waits for its next try."""

import random

from django.conf import settings


def retry_delay(attempts: int, retry_after: float | None) -> float:
    """Seconds until the next try: exponential with full jitter above a half, never before the provider allows."""
    ceiling = min(settings.RETRY_CAP_SECONDS, settings.RETRY_BASE_SECONDS * 2 ** min(attempts, 30))
    jittered: float = ceiling * random.uniform(0.5, 1.0)  # noqa: S311 - spreads retries, guards nothing
    asked_for: float = min(retry_after or 0.0, settings.RETRY_CAP_SECONDS)
    return max(jittered, asked_for)
