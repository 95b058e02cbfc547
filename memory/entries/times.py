from collections.abc import Mapping
from datetime import datetime

from web.errors import InvalidInput

# The clocks of two machines may differ. A time further ahead is a mistake, and would outrank every later fact.
FUTURE_TOLERANCE_SECONDS = 300


def refuse_future(times: Mapping[str, datetime], *, now: datetime) -> None:
    """Refuse future times of when something was said. `times`: by field. Raises InvalidInput."""
    for field, time in times.items():
        if is_future(time, now=now):
            raise InvalidInput.of(field, "is in the future; leave it out for now")


def is_future(time: datetime, *, now: datetime) -> bool:
    return (time - now).total_seconds() > FUTURE_TOLERANCE_SECONDS
