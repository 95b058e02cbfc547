"""What becomes of a row whose work failed: another try later, or none."""

from dataclasses import dataclass
from typing import Self

from django.conf import settings

from config.postgresql.sessions import database_went_away
from providers.errors import ProviderError
from web.errors import BudgetSpent, RapportError
from worker.leases import error_place, retry_delay

INTERNAL_TRIES = 3  # of a row that trips over a mistake of ours


@dataclass(frozen=True, slots=True)
class Failure:
    """`delay`: seconds until the next try; None: none. `counted`: the try says something about the row.

    `is_ours`: a mistake of ours, of which only the kind and place are told: its text may quote somebody's words.
    """

    code: str
    error: str
    delay: float | None
    counted: bool = True
    is_ours: bool = False

    @classmethod
    def of(cls, error: Exception, *, attempts: int) -> Self:
        """`attempts`: how often it was tried in vain before. Raises `error` itself where the database is away: then
        `keeping` gives the row back.
        """
        if database_went_away(error):
            raise error
        if isinstance(error, BudgetSpent):
            return cls(error.code, error.detail, error.extra["retry_after"], counted=False)
        if isinstance(error, ProviderError):
            counted = error.counts
            hopeless = error.permanent or (counted and attempts + 1 >= settings.MAX_ATTEMPTS)
            delay = None if hopeless else retry_delay(attempts, error.retry_after)
            return cls(error.code, str(error)[:2000], delay, counted)
        if isinstance(error, RapportError):
            return cls(error.code, error.detail[:2000], None)
        delay = None if attempts + 1 >= INTERNAL_TRIES else retry_delay(attempts, None)
        return cls("internal_error", error_place(error), delay, is_ours=True)
