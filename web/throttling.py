"""Rate limits of keys and tokens, by DRF's throttling. `RateCounters` counts for all web processes together.

The header fields are those of draft-ietf-httpapi-ratelimit-headers-10.
"""

from typing import Any
from uuid import UUID

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
        for name in ("requests", view.counts_as.get(request.method)):
            verdict = _take(credentials, name)
            if verdict is not None:
                view.verdicts.append(verdict)
                if not verdict.allowed:
                    return False
        return True


def count_requests(credentials: Credentials, number: int) -> None:
    """Count requests that are not counted when they are made. Raises TooManyRequests."""
    for _ in range(number):
        verdict = _take(credentials, "requests")
        if verdict is not None and not verdict.allowed:
            raise too_many(verdict, credentials)


def _take(credentials: Credentials, name: str | None) -> Verdict | None:
    """Count one request towards the limit `name` of the key or token, and of the key that made the token.

    Return the verdict about the first, or the refusal; None: there is no such limit.
    """
    verdict = None
    for holder, rates in _limits_of(credentials):
        if name is not None and (rate := rates.get(name)) is not None:
            taken = RATE_COUNTERS.take(holder, name, rate)
            if not taken.allowed:
                _say(taken, credentials, holder)
                return taken
            verdict = verdict or taken
    return verdict


def _limits_of(credentials: Credentials) -> list[tuple[UUID, Rates]]:
    """By whose ID a request is counted, and their limits. A key's own override the settings'."""
    key_rates: Rates = {**settings.KEY_RATES, **credentials.own_rates}
    if credentials.relationship_id is None:
        return [(credentials.holder, key_rates)]
    of_token: list[tuple[UUID, Rates]] = [(credentials.holder, settings.TOKEN_RATES)]
    return of_token if credentials.key_id is None else [*of_token, (credentials.key_id, key_rates)]


def retry_after(verdict: Verdict) -> int:
    """Whole seconds after which the window has surely ended; the database's ends a statement's time after ours."""
    return min(verdict.rate.seconds, int(verdict.seconds + LAG_SECONDS) + 1)


def too_many(verdict: Verdict, credentials: Credentials) -> TooManyRequests:
    holder = "key" if credentials.relationship_id is None else "token, or the key that made it,"
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


def _say(verdict: Verdict, credentials: Credentials, holder: UUID) -> None:
    """Log a refusal, once per window and process, so that nobody can fill the log."""
    if verdict.first_refusal:
        log.warning(
            "a limit is used up; requests are refused until its window ends",
            event_name="api.limit.reached",
            limit=verdict.name,
            rate=str(verdict.rate),
            project_id=str(credentials.project_id),
            holder=str(holder),
            seconds=retry_after(verdict),
        )
