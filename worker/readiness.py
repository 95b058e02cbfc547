"""Check whether this instance can serve, whether work is being done, and if not, why.

The first is for a load balancer: the database and the migrations, nothing about tenants. The second is for alerting,
and only for problems of the service, not of a single project.

A blocker is what turns wait for, over all projects. After OLDEST_TURN_LIMIT_SECONDS it is alarming

- if the default provider waits for an operator: its key is refused, its account empty, its settings wrong;
- if the default provider fails, or no worker takes due turns, and fewer projects had answers recently than wait;
- if another provider fails more than half of the projects that called a model today or yesterday.

Anything else is reported as degraded: a project that spent its budget, that has a model or provider of its own which
does not answer, or that sent more turns than the workers can read at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from typing import Any
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connections, transaction
from django.utils import timezone

from config.postgresql.migrations import NoSearchPath, pending_migrations
from config.postgresql.sessions import DISK_FULL, execute, node_went_away, sqlstate
from config.postgresql.unusable import other_schema
from providers.errors import ProviderError, ProviderMisconfigured
from web.errors import BudgetSpent
from worker.condition import DUE, READING, QueueCondition, Wait, read_condition

_CONNECT_SECONDS = 2  # libpq's minimum
_STATEMENT_SECONDS = 2
_CLOCK_SECONDS = 30  # by which a clock may differ from the database's: turns of one ahead wait for so long
_AHEAD = "SELECT extract(epoch FROM %s - clock_timestamp())::float8"
# Sorts a megabyte in less memory than that, so that the server writes it to its disk: it may be full, and yet take
# small changes, such as the sign of life of a worker.
_WRITES = """
SELECT count(text)
  FROM (SELECT repeat(md5('room'), 16) AS text FROM generate_series(1, 2000) n ORDER BY n DESC) sorted
"""


@dataclass(frozen=True, slots=True)
class Blocker:
    """What the turns of some projects wait for, the longest of them for `seconds`."""

    reason: str
    provider: str
    turns: int
    projects: int
    seconds: float
    alarming: bool = False

    @property
    def sentence(self) -> str:
        """For an operator; names no project."""
        turns = f"{self.turns} turn{'s' * (self.turns != 1)} of {self.projects} project{'s' * (self.projects != 1)}"
        if self.reason == DUE:
            return f"queue: nobody has taken {turns} that could be read, the oldest for {self.seconds:.0f} s"
        what = (
            f"provider: {self.provider!r} holds up"
            if self.provider
            else "project: their own project holds up"
        )
        return (
            f"{what} {turns}, the oldest for {self.seconds:.0f} s ({self.reason}): {explained(self.reason)}"
        )


@dataclass(slots=True)
class Readiness:
    """`reasons`: sentences; without any it is ready. What comes from the database is None while that is down.

    Only if `work` was checked: the queue's `condition`, and in `degraded` what turns wait for without being a reason
    for an alarm.
    """

    reasons: list[str] = field(default_factory=list)
    database: bool = False
    pending_migrations: list[str] | None = None
    condition: QueueCondition | None = None
    degraded: list[Blocker] = field(default_factory=list)

    @property
    def ready(self) -> bool:
        return not self.reasons


def check_readiness(*, work: bool = False) -> Readiness:
    """Check whether this instance can serve and, with `work`, whether turns are being read, too.

    Returns within a few seconds, whatever is broken.
    """
    found, other, takes_writes, has_room = Readiness(), "", True, True
    try:
        takes_connections = _knock()
        with transaction.atomic():
            limit_statements()
            found.pending_migrations = pending_migrations()
            ahead = {"this machine": execute(_AHEAD, [timezone.now()])[0][0]}
            if work and not found.pending_migrations:
                other = other_schema()
                found.condition, takes_writes = read_condition(), _takes_writes()
                has_room = _has_room()
    except (psycopg.Error, DatabaseError) as error:
        found.database = node_went_away(error)
        found.reasons = [f"migrations: {other}" if other else f"database: {_database_fault(error)}"]
        return found
    found.database = True
    if found.pending_migrations:
        names = ", ".join(found.pending_migrations[:5])
        found.reasons = [f"migrations: {names} not applied; run manage.py migrate"]
    elif found.condition is not None:
        found_blockers = blockers(found.condition)
        found.degraded = [blocker for blocker in found_blockers if not blocker.alarming]
        found.reasons = reasons_for_alarm(found.condition, found_blockers)
        ahead |= {
            f"worker {worker.name}": worker.clock_ahead for worker in found.condition.workers if worker.alive
        }
    found.reasons += filter(None, starmap(_clock_fault, ahead.items()))
    if not takes_writes:  # workers can't write heartbeats either
        found.reasons = ["database: it takes no writes, so nothing is remembered"]
    if other:
        found.reasons.append(f"migrations: {other}")
    if work and not takes_connections:
        found.reasons.append("database: it takes no more connections; raise its max_connections")
    if not has_room:
        found.reasons.append("database: its disk is full, so that little or nothing is taken in")
    return found


def blockers(condition: QueueCondition) -> list[Blocker]:
    """What turns wait for, the longest wait first. A turn that is due is a blocker once it is past the limit."""
    groups: dict[tuple[str, str], list[Wait]] = {}
    for wait in condition.waits:
        late = wait.seconds > settings.OLDEST_TURN_LIMIT_SECONDS
        if wait.reason != READING and (late or wait.reason != DUE):
            groups.setdefault((wait.reason, wait.provider), []).append(wait)
    found = [_blocker(waits, condition) for waits in groups.values()]
    return sorted(found, key=lambda blocker: -blocker.seconds)


def reasons_for_alarm(condition: QueueCondition, found: Sequence[Blocker]) -> list[str]:
    """Sentences on why work is not being done; none if it is."""
    reasons = []
    age = condition.beat_age_seconds
    if age is None:
        reasons.append("worker: none has reported; run manage.py worker")
    elif age > settings.HEARTBEAT_LIMIT_SECONDS:
        reasons.append(f"worker: none has reported for {age:.0f} s; run manage.py worker")
    strangers = [worker.name for worker in condition.workers if worker.alive and not worker.has_our_secret]
    if strangers:
        named = ", ".join(strangers[:3])
        reasons.append(
            f"worker: {named} has another RAPPORT_SECRET_KEY than this machine, so it refuses its tasks and reads "
            "turns late; set the same everywhere"
        )
    return reasons + [blocker.sentence for blocker in found if blocker.alarming]


def explained(reason: str) -> str:
    """The code of a failure as a sentence."""
    if reason == BudgetSpent.code:
        return "The project's model budget for the day is spent."
    return _EXPLAINED.get(reason, "The turn's error says why.")


def limit_statements() -> None:
    """Limit statements in this transaction to the time that a probe waits."""
    execute(f"SET LOCAL statement_timeout = '{_STATEMENT_SECONDS}s'")


def provider_in_use() -> dict[str, Any]:
    """The default language model, for operators. Imports no vendor's SDK into this process."""
    return _in_use(settings.DEFAULT_LLM_PROVIDER, settings.LLM_PROVIDERS)


def embedder_in_use() -> dict[str, Any]:
    """The default embedder, for operators."""
    return _in_use(settings.DEFAULT_EMBEDDING_PROVIDER, settings.EMBEDDING_PROVIDERS)


def _database_fault(error: Exception) -> str:
    if isinstance(error, NoSearchPath):
        return str(error)
    if node_went_away(error):
        return "a node of it is away; the relationships there wait, the others go on"
    return f"it does not answer ({type(error).__name__})"


def _clock_fault(whose: str, ahead: float) -> str:
    if abs(ahead) <= _CLOCK_SECONDS:
        return ""
    side = "ahead of" if ahead > 0 else "behind"
    return (
        f"clock: that of {whose} is {abs(ahead):.0f} s {side} the database's, so turns are read late; set it"
    )


def _blocker(waits: Sequence[Wait], condition: QueueCondition) -> Blocker:
    first = waits[0]
    late = {wait.project_id for wait in waits if wait.seconds > settings.OLDEST_TURN_LIMIT_SECONDS}
    return Blocker(
        reason=first.reason,
        provider=first.provider,
        turns=sum(wait.turns for wait in waits),
        projects=len({wait.project_id for wait in waits}),
        seconds=max(wait.seconds for wait in waits),
        alarming=bool(late) and _is_the_services(first, len(late), condition),
    )


def _is_the_services(wait: Wait, projects: int, condition: QueueCondition) -> bool:
    asked = condition.asked
    if wait.reason == DUE:
        return projects > asked.answered
    if not wait.provider:
        return False
    if wait.provider == settings.DEFAULT_LLM_PROVIDER:
        return wait.reason in BLOCKING or projects > asked.answered
    return 2 * projects > asked.projects


def _below(kind: type[ProviderError]) -> Iterator[type[ProviderError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _below(child)


def _in_use(alias: str, aliases: Mapping[str, Any]) -> dict[str, Any]:
    options = aliases[alias].get("OPTIONS", {})
    host = urlsplit(options.get("base_url") or "").netloc.rpartition("@")[2]
    return {"alias": alias, "model": options.get("model") or "", "host": host}


def _knock() -> bool:
    """Open a new connection with a short timeout. False if it is refused: those that are open may work all the same.

    Raises psycopg.errors.ConnectionTimeout.
    """
    parameters: dict[str, Any] = connections["default"].get_connection_params()
    try:
        psycopg.connect(**{**parameters, "connect_timeout": _CONNECT_SECONDS}).close()
    except psycopg.errors.ConnectionTimeout:
        raise
    except psycopg.Error:
        return False
    return True


def _takes_writes() -> bool:
    return bool(execute("SELECT current_setting('transaction_read_only') = 'off'")[0][0])


def _has_room() -> bool:
    try:
        with transaction.atomic():
            execute("SET LOCAL work_mem = '64kB'")
            execute(_WRITES)
    except DatabaseError as error:
        return sqlstate(error) != DISK_FULL
    return True


_EXPLAINED = {kind.code: str(kind()) for kind in _below(ProviderError)}
BLOCKING = {kind.code for kind in _below(ProviderMisconfigured)}  # until an operator fixes a setting
