"""The counts that all web processes share: how much of a limit is used in the current window.

A process takes a sixtieth of the quota at a time and counts it down in memory (web/rate_counters.py), so a limit
costs a statement now and then, not one per request. What was taken counts as used, so that never more than the quota
is allowed; what a process has left when the window ends is lost.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from config.postgresql.sessions import prepared_cursor
from config.rates import Rate
from web.models import RateWindow

SHARES = 60

# A window begins with the first request after the previous one ended. Times are the database's.
_TAKE = """
INSERT INTO relationships_ratewindow AS own (holder, name, seconds, ends_at, taken, granted)
VALUES (%(holder)s, %(name)s, %(seconds)s, statement_timestamp() + make_interval(secs => %(seconds)s),
        %(share)s, %(share)s)
ON CONFLICT (holder, name) DO UPDATE SET
    seconds = excluded.seconds,
    ends_at = CASE WHEN own.ends_at <= statement_timestamp() OR own.seconds <> excluded.seconds
                   THEN excluded.ends_at ELSE own.ends_at END,
    taken = CASE WHEN own.ends_at <= statement_timestamp() OR own.seconds <> excluded.seconds
                 THEN excluded.taken
                 ELSE own.taken + greatest(0, least(%(share)s, %(quota)s - own.taken)) END,
    granted = CASE WHEN own.ends_at <= statement_timestamp() OR own.seconds <> excluded.seconds
                   THEN excluded.granted
                   ELSE greatest(0, least(%(share)s, %(quota)s - own.taken)) END
RETURNING granted, taken, extract(epoch FROM ends_at)::float8,
          extract(epoch FROM ends_at - statement_timestamp())::float8
"""


@dataclass(frozen=True, slots=True)
class Grant:
    """A share of the window that ends at `window` (seconds since 1970), in `seconds_left` seconds.

    `granted`: how many more may pass; `taken`: what all processes together have been granted.
    """

    granted: int
    taken: int
    window: float
    seconds_left: float


def take_share(*, holder: UUID, name: str, rate: Rate) -> Grant:
    """Take the next share of a key's or a token's quota; if `granted` is 0, none is left."""
    with prepared_cursor() as cursor:
        cursor.execute(
            _TAKE,
            {
                "holder": holder,
                "name": name,
                "seconds": rate.seconds,
                "quota": rate.quota,
                "share": max(1, rate.quota // SHARES),
            },
        )
        return Grant(*cursor.fetchone())


def drop_ended_windows(now: datetime) -> int:
    """Delete the counts of windows that are over. Returns how many."""
    return RateWindow.objects.filter(ends_at__lte=now).delete()[0]
