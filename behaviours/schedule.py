"""The times of a cron expression, in a person's time zone."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

_MINUTE = timedelta(minutes=1)


def known_schedule(expression: str) -> str:
    """Return the expression. Raises ValueError if it is invalid, or has no times."""
    try:
        if len(expression.split()) != 5:  # a sixth field would be seconds
            raise CronSimError("Wrong number of fields")
        next(CronSim(expression, datetime(2026, 1, 1, tzinfo=UTC)))
    except CronSimError as error:
        raise ValueError(f"is not a cron expression of five fields, such as 0 9 * * 1-5: {error}") from None
    except StopIteration:
        raise ValueError("never comes") from None
    return expression


def next_time(expression: str, after: datetime, timezone: str) -> datetime:
    """The first time after a moment, in UTC."""
    return next(times_after(expression, after, timezone))


def times_after(expression: str, after: datetime, timezone: str) -> Iterator[datetime]:
    """The times after a moment, in UTC."""
    for found in CronSim(expression, after.astimezone(ZoneInfo(timezone))):
        yield found.astimezone(UTC)


def is_time(expression: str, moment: datetime, timezone: str) -> bool:
    """Return whether the moment's minute is one of the times."""
    minute = moment.replace(second=0, microsecond=0)
    return next_time(expression, minute - _MINUTE, timezone) == minute.astimezone(UTC)
