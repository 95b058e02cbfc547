"""Send reads that may be a moment old to a streaming standby, or to a node of Citus (DATABASE_REPLICA_URL).

Its age is bounded in two ways. Each process reads the position of the primary's write-ahead log a few times a second;
a standby that has replayed up to there has everything that was visible before that. It also has everything from before
the last commit it replayed, by the primary's clock. The lower bound counts, so neither an idle nor a busy primary makes
a standby look old, and clocks of two machines are never compared.

A node of Citus reads a relationship's rows where they are written, so nothing read there is old.
"""

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple

from django.conf import settings
from django.db import Error as DatabaseFailure
from django.db import connections
from django.db.models import Model
from django.db.utils import DEFAULT_DB_ALIAS

from config.postgresql.citus import is_distributed
from config.postgresql.sessions import READING, prepared_cursor, reading_from, sqlstate

REPLICA = "replica"
RETRY_SECONDS = 2.0  # after which one request checks whether an unreachable replica is back

# A promoted server begins a new timeline at once, which is in the names of its log files. Its control file, and that of
# a standby that follows it, are updated later; until then that standby is not used.
_PRIMARY = """
SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint, extract(epoch FROM clock_timestamp())::float8,
       system_identifier || '/' || ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int
FROM pg_control_system()
"""
_STANDBY = """
SELECT pg_is_in_recovery(), (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint,
       extract(epoch FROM pg_last_xact_replay_timestamp())::float8,
       system_identifier || '/' || greatest(timeline_id, min_recovery_end_timeline)
FROM pg_control_system(), pg_control_checkpoint(), pg_control_recovery()
"""
# The server's own group, and the nodes that it knows; of the coordinator's, those that know what it knows.
_NODES = """
SELECT (SELECT groupid FROM pg_dist_local_group),
       string_agg(concat_ws(' ', nodeid, nodename, nodeport), ', ' ORDER BY nodeid),
       coalesce(array_agg(groupid) FILTER (WHERE isactive AND metadatasynced), '{}')
FROM pg_dist_node
"""


class Unfit(Exception):
    """The replica can't be used now. `reason`: none, away, foreign, or behind (by `age` seconds)."""

    def __init__(self, reason: str, detail: str, age: float | None = None) -> None:
        super().__init__(detail)
        self.reason, self.age = reason, age


class Router:
    """Django's database router: sends the ORM's reads inside `reading_replica` to the replica, and no writes."""

    def db_for_read(self, model: type[Model], **hints: Any) -> str:
        return reading_from()

    def db_for_write(self, model: type[Model], **hints: Any) -> str:
        return DEFAULT_DB_ALIAS

    def allow_relation(self, one: Model, other: Model, **hints: Any) -> bool:
        return True

    def allow_migrate(self, alias: str, app_label: str, **hints: Any) -> bool:
        return alias == DEFAULT_DB_ALIAS


class _Position(NamedTuple):
    """The primary's log position at `asked_at` (monotonic)."""

    asked_at: float
    lsn: int
    clock: float
    history: str  # the server's system identifier and timeline; a restore begins a new one


class Replica:
    """What this process knows about the replica."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._positions: tuple[_Position, ...] = ()
        self._ask_again_at: float | None = (
            None  # set while it is unreachable; the first request then checks it
        )
        self._node_until = 0.0  # until then (monotonic) it counts as a node of Citus

    def age(self) -> float:
        """The highest possible age, in seconds, of what is read from the replica from now on. Raises Unfit.

        One statement there, and one on the primary if its known position is older than a quarter of the limit.
        """
        if REPLICA not in connections.settings:
            raise Unfit("none", "no replica is set up")
        self._look_away()
        if self.is_node:
            return 0.0
        known = self._positions_of_primary()
        try:
            standby, lsn, replayed_at, history = _asked(REPLICA, _STANDBY)
            node = not standby and _is_node()
        except DatabaseFailure as error:
            self.failed(error)
            raise Unfit("away", f"the replica does not answer ({type(error).__name__})") from error
        self._ask_again_at = None
        if node:
            self._node_until = monotonic() + settings.REPLICA_LIMIT_SECONDS
            return 0.0
        if not standby or lsn is None:
            raise Unfit("foreign", "the replica is neither a standby nor a node of the primary's Citus")
        if history != known[-1].history:
            raise Unfit(
                "foreign", "the replica is a standby of another server, or of one that was restored since"
            )
        now = monotonic()
        bounds = [now - primary.asked_at for primary in known if primary.lsn <= lsn]
        if replayed_at is not None:
            bounds.append(known[-1].clock + now - known[-1].asked_at - replayed_at)
        age = max(0.0, min(bounds, default=math.inf))
        if age > settings.REPLICA_LIMIT_SECONDS:
            raise Unfit("behind", f"the replica is {age:.1f} s behind", age)
        return age

    @property
    def is_node(self) -> bool:
        """Whether the replica was a node of Citus when it was last asked, which was a moment ago."""
        return monotonic() < self._node_until

    def failed(self, error: Exception) -> None:
        """Note that the replica failed. If it is unreachable, it is not used for a while."""
        self._node_until = 0.0
        if not sqlstate(error):
            self._ask_again_at = monotonic() + RETRY_SECONDS
        connections[REPLICA].close()

    def _look_away(self) -> None:
        with self._lock:
            if self._ask_again_at is not None:
                now = monotonic()
                if now < self._ask_again_at:
                    raise Unfit("away", "the replica did not answer a moment ago")
                self._ask_again_at = now + RETRY_SECONDS

    def _positions_of_primary(self) -> tuple[_Position, ...]:
        """The last few positions, the newest last."""
        now, known = monotonic(), self._positions
        if not known or now - known[-1].asked_at > settings.REPLICA_LIMIT_SECONDS / 4:
            known = self._positions = (*known[-4:], _Position(now, *_asked(DEFAULT_DB_ALIAS, _PRIMARY)))
        return known


replica = Replica()


@contextmanager
def reading_replica() -> Iterator[None]:
    """Let this thread read from the replica, by the ORM and prepared cursors, unless it is in a transaction."""
    token = READING.set(REPLICA)
    try:
        yield
    finally:
        READING.reset(token)


def _is_node() -> bool:
    """Return whether the replica is a node of the Citus of which the primary is the coordinator, and up to date."""
    if not all(is_distributed(connections[alias]) for alias in (DEFAULT_DB_ALIAS, REPLICA)):
        return False
    _, nodes, in_step = _asked(DEFAULT_DB_ALIAS, _NODES)
    group, known, _ = _asked(REPLICA, _NODES)
    return bool(known == nodes and group in in_step)


def _asked(alias: str, statement: str) -> tuple[Any, ...]:
    with prepared_cursor(using=alias) as cursor:
        cursor.execute(statement)
        row: tuple[Any, ...] = cursor.fetchone()
    return row
