"""How long what failed waits for its next try, and what may be said of a failure of ours."""

import random
import traceback
from pathlib import Path

from django.conf import settings


def retry_delay(attempts: int, retry_after: float | None) -> float:
    """Seconds until the next try: exponential with full jitter above a half, never before the provider allows."""
    ceiling = min(settings.RETRY_CAP_SECONDS, settings.RETRY_BASE_SECONDS * 2 ** min(attempts, 30))
    jittered: float = ceiling * random.uniform(0.5, 1.0)  # noqa: S311 - spreads retries, guards nothing
    asked_for: float = min(retry_after or 0.0, settings.RETRY_CAP_SECONDS)
    return max(jittered, asked_for)


def error_place(error: BaseException) -> str:
    """Its kind and where it was raised. Its own text may quote somebody's words."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
