"""Rate limits of keys and tokens, by DRF's throttling. `RateCounters` counts for all web processes together.

The header fields are those of draft-ietf-httpapi-ratelimit-headers-10.
"""

from typing import Any

import structlog
from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from config.rates import Rates
from web.authentication import ADMITTED, Credentials
from web.errors import TooManyRequests
from web.rate_counters import RateCounters, Verdict

log = structlog.get_logger(__name__)
RATE_COUNTERS = RateCounters()
LAG_SECONDS = 0.1


class RateThrottle(BaseThrottle):
    """Counts a request towards `requests` and the view's `counts_as`. It stores its verdicts in the view."""

    def allow_request(self, request: Request, view: Any) -> bool:
        credentials = request.auth
        if not isinstance(credentials, Credentials) or ADMITTED in request.META:
            return True
        rates = rates_of(credentials)
        for name in ("requests", view.counts_as.get(request.method)):
            rate = rates.get(name)
            if rate is not None:
                verdict = RATE_COUNTERS.take(credentials.holder, name, rate)
                view.verdicts.append(verdict)
                if not verdict.allowed:
                    _say(verdict, credentials)
                    return False
        return True


def count_requests(credentials: Credentials, number: int) -> None:
    """Count requests that are not counted when they are made. Raises TooManyRequests."""
    rate = rates_of(credentials).get("requests")
    if rate is None:
        return
    for _ in range(number):
        verdict = RATE_COUNTERS.take(credentials.holder, "requests", rate)
        if not verdict.allowed:
            _say(verdict, credentials)
            raise too_many(verdict, credentials)


def rates_of(credentials: Credentials) -> Rates:
    """The limits of a key, where its own override the settings', or of a token."""
    if credentials.relationship_id is not None:
        token_rates: Rates = settings.TOKEN_RATES
        return token_rates
    key_rates: Rates = settings.KEY_RATES
    return {**key_rates, **credentials.own_rates} if credentials.own_rates else key_rates


def retry_after(verdict: Verdict) -> int:
    """Whole seconds after which the window has surely ended; the database's ends a statement's time after ours."""
    return min(verdict.rate.seconds, int(verdict.seconds + LAG_SECONDS) + 1)


def too_many(verdict: Verdict, credentials: Credentials) -> TooManyRequests:
    holder = "token" if credentials.relationship_id is not None else "key"
    return TooManyRequests(
        f"This {holder} has used up its limit of {verdict.name}, {verdict.rate}. Try again in "
        f"{retry_after(verdict)} s, or ask whoever runs this service for a higher limit.",
        limit=verdict.name,
        quota=verdict.rate.quota,
        window_seconds=verdict.rate.seconds,
        retry_after=retry_after(verdict),
    )


def rate_headers(verdicts: list[Verdict]) -> dict[str, str]:
    """RateLimit-Policy: the limits that this request counts towards; RateLimit: about how much is left of them."""
    policies = [f'"{one.name}";q={one.rate.quota};w={one.rate.seconds}' for one in verdicts]
    present = [f'"{one.name}";r={one.remaining};t={retry_after(one)}' for one in verdicts]
    return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(present)}


def _say(verdict: Verdict, credentials: Credentials) -> None:
    """Log a refusal, once per window and process, so that nobody can fill the log."""
    if verdict.first_refusal:
        log.warning(
            "a limit is used up; requests are refused until its window ends",
            event_name="api.limit.reached",
            limit=verdict.name,
            rate=str(verdict.rate),
            project_id=str(credentials.project_id),
            holder=str(credentials.holder),
            seconds=retry_after(verdict),
        )
