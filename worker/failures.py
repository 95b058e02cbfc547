"""What becomes of a row whose work failed: another attempt later, or none. It does not hold up other rows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self, TypeVar
from uuid import UUID

import structlog
from django.conf import settings
from django.utils import timezone

from config.postgresql.migrations import is_other_schema
from config.postgresql.sessions import database_went_away
from providers.errors import AnswerUnusable, ProviderError
from web.errors import BudgetSpent, RapportError
from worker.leases import error_place, retry_delay
from worker.models import QueuedQuerySet

log = structlog.get_logger(__name__)
Row = TypeVar("Row")

INTERNAL_TRIES = 3  # of a row that trips over a mistake of ours
UNUSABLE_TRIES = 3  # of a row whose model answers, and is paid, but with nothing that can be used
# Until the next try if the database is of another version, which this worker may not be able to use. Such tries are not
# counted: whoever is of that version can do the work.
OTHER_SCHEMA_SECONDS = 60.0


class WebhookFailed(Exception):
    """A URL did not accept a call. `passing`: it may the next time, after `retry_after` seconds."""

    def __init__(
        self, code: str, said: str, *, passing: bool, answer: str = "", retry_after: float | None = None
    ) -> None:
        super().__init__(said)
        self.code, self.said, self.passing, self.answer = code, said, passing, answer
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Failure:
    """`delay`: seconds until the next attempt; None: there is none. `counted`: the attempt counts against the row.

    `is_ours`: an internal error, of which only type and place are logged: its text may quote what somebody said.
    """

    code: str
    error: str
    delay: float | None
    counted: bool = True
    is_ours: bool = False

    @classmethod
    def of(cls, error: Exception, *, attempts: int) -> Self:
        """`attempts`: how many attempts failed before. Raises `error` itself if the database is away: then `keeping`
        gives the row back.
        """
        if database_went_away(error):
            raise error
        if isinstance(error, BudgetSpent):
            return cls(error.code, error.detail, error.extra["retry_after"], counted=False)
        if isinstance(error, ProviderError):
            counted = error.counts
            most = settings.MAX_ATTEMPTS
            if isinstance(error, AnswerUnusable):
                most = min(most, UNUSABLE_TRIES)
            hopeless = error.permanent or (counted and attempts + 1 >= most)
            delay = None if hopeless else retry_delay(attempts, error.retry_after)
            return cls(error.code, str(error)[:2000], delay, counted)
        if isinstance(error, WebhookFailed):
            hopeless = not error.passing or attempts + 1 >= settings.MAX_ATTEMPTS
            return cls(error.code, error.said, None if hopeless else retry_delay(attempts, error.retry_after))
        if isinstance(error, RapportError):
            return cls(error.code, error.detail[:2000], None)
        if is_other_schema():
            return cls(
                "internal_error", error_place(error), OTHER_SCHEMA_SECONDS, counted=False, is_ours=True
            )
        delay = None if attempts + 1 >= INTERNAL_TRIES else retry_delay(attempts, None)
        return cls("internal_error", error_place(error), delay, is_ours=True)

    def release(self, held: QueuedQuerySet, **values: Any) -> None:
        """Release the row, which is due again after `delay`. `values`: further columns."""
        due_at = timezone.now() + timedelta(seconds=self.delay or 0.0)
        held.release(due_at=due_at, counted=self.counted, code=self.code, **{"error": self.error} | values)

    def end(self, held: QueuedQuerySet, *, failed: Mapping[str, Any], **values: Any) -> None:
        """Release the row for its next attempt; if there is none, settle it with the columns `failed` too."""
        if self.delay is not None:
            self.release(held, **values)
        else:
            held.settle(error_code=self.code, **{"error": self.error} | values, **failed)


def each_alone(
    rows: Iterable[Row], do: Callable[[Row], int], *, of: Callable[[Any], UUID] = lambda row: row
) -> int:
    """The sum of `do` over all rows. A row that fails does not hold up the others; `of`: its relationship's ID.

    A database that went away ends it.
    """
    done = 0
    for row in rows:
        try:
            done += do(row)
        except Exception as error:
            if database_went_away(error):
                raise
            log.warning(
                "a periodic task failed for a relationship; it will be tried again",
                event_name="queue.periodic_task.failed_for_one",
                relationship_id=str(of(row)),
                exc_info=error,
            )
    return done
