"""Model budgets: what a project may spend on language models in a day (UTC), and what it has spent.

The budget is checked before a call, and the call is counted in the transaction that stores it; no lock is held while
a model answers. So calls made at the same time may exceed the budget, by as much as they cost. Budgets are set by
whoever runs the service, never with a project's API key: on the project's row, or in the settings for all others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import ceil
from typing import Any, NamedTuple
from uuid import UUID

import structlog
from django.apps import apps
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.db.models import Sum
from django.utils import timezone

from config.postgresql.sessions import execute, prepared_cursor
from providers.llm.base import Completion
from relationships.models import ModelSpending, Project, Turn, TurnState
from relationships.models.owned import RelationshipOwned
from relationships.services.audit import audit_row
from relationships.services.rows import require
from relationships.services.sequence import lock_relationship
from web.actor import Actor
from web.errors import BudgetSpent, InvalidInput, NotFound
from worker.models.queued import QueuedRow

log = structlog.get_logger(__name__)

MOST_ROWS = 10_000  # projects that a scrape reads
REASON = BudgetSpent.code  # error_code of a turn that waits for the next day

# A statement of its own, as in a distributed database this table is on the coordinator only.
_READ = """
SELECT p.daily_tokens, p.daily_usd, coalesce(sum(s.calls), 0)::bigint, coalesce(sum(s.tokens), 0)::bigint,
       coalesce(sum(s.cost), 0), coalesce(sum(s.unpriced), 0)::bigint
  FROM relationships_project p
  LEFT JOIN memory_modelspending s ON s.project_id = p.id AND s.day = %(day)s
 WHERE p.id = %(project)s
 GROUP BY p.id
"""
PARTS = 64  # rows that a project's count of a day is spread over, by connection
# Without calls it inserts and locks no row.
COUNT_SPENDING = f"""
INSERT INTO memory_modelspending AS spent (project_id, day, part, calls, tokens, cost, unpriced, answered_at)
SELECT %(project)s, %(day)s, pg_backend_pid() %% {PARTS}, %(calls)s, %(tokens)s, %(cost)s, %(unpriced)s,
       %(answered_at)s::timestamptz
 WHERE %(calls)s::int > 0
ON CONFLICT (day, project_id, part) DO UPDATE
   SET calls = spent.calls + excluded.calls, tokens = spent.tokens + excluded.tokens,
       cost = spent.cost + excluded.cost, unpriced = spent.unpriced + excluded.unpriced,
       answered_at = coalesce(excluded.answered_at, spent.answered_at)
"""  # noqa: S608 - a number of ours


@dataclass(frozen=True, slots=True)
class ModelBudget:
    """A project's limits for a day (None: no limit), and what it has used. Money is in USD.

    `cost` is the cost of the calls whose price is known; `unpriced` counts the others.
    """

    renews_at: datetime
    daily_tokens: int | None
    daily_usd: Decimal | None
    calls: int = 0
    tokens: int = 0
    cost: Decimal = Decimal(0)
    unpriced: int = 0

    @property
    def spent(self) -> str:
        """The limit that is reached, in words; "" if none is."""
        if self.daily_tokens is not None and self.tokens >= self.daily_tokens:
            return f"{self.tokens} of {self.daily_tokens} tokens"
        if self.daily_usd is not None and self.cost >= self.daily_usd:
            return f"{self.cost:.2f} of {self.daily_usd:.2f} USD"
        return ""

    @staticmethod
    def day_of(now: datetime) -> date:
        return now.astimezone(UTC).date()

    def require(self, *, now: datetime) -> None:
        """Raises BudgetSpent."""
        if self.spent:
            raise BudgetSpent(
                f"The project's model budget for the day is spent: {self.spent}. It renews at "
                f"{self.renews_at:%Y-%m-%d %H:%M} UTC; the service's operator can raise it (manage.py budget).",
                retry_after=max(1, ceil((self.renews_at - now).total_seconds())),
            )


def model_budget_of(project_id: UUID, *, now: datetime | None = None) -> ModelBudget:
    """The project's budget for today. One statement. Raises NotFound."""
    now = now or timezone.now()
    with prepared_cursor() as cursor:
        cursor.execute(_READ, {"project": project_id, "day": ModelBudget.day_of(now)})
        row = cursor.fetchone()
    if row is None:
        raise NotFound("This project does not exist.")
    tokens, usd, *counted = row
    return ModelBudget(
        datetime.combine(ModelBudget.day_of(now) + timedelta(days=1), time(), UTC),
        *_limits(tokens, usd),
        *counted,
    )


def has_budget(daily_tokens: int | None, daily_usd: Decimal | None) -> bool:
    """Return whether a project with these columns has a limit; if not, its spending need not be read."""
    return any(_limits(daily_tokens, daily_usd))


def _limits(daily_tokens: int | None, daily_usd: Decimal | None) -> tuple[int | None, Decimal | None]:
    """The limits that a project's columns stand for: None means the settings' limit, 0 means no limit."""
    return (
        (settings.PROJECT_DAILY_TOKENS if daily_tokens is None else daily_tokens) or None,
        (settings.PROJECT_DAILY_USD if daily_usd is None else daily_usd) or None,
    )


class Spent(NamedTuple):
    """What a project spent in a day, in tokens and USD."""

    project_id: UUID
    tokens: int
    cost: Decimal


def read_spending() -> Sequence[Spent]:
    """Today's spending of the MOST_ROWS projects with most tokens, highest first. Raises django.db.Error."""
    today = ModelSpending.objects.filter(day=ModelBudget.day_of(timezone.now())).order_by()
    sums = today.values("project_id").annotate(all_tokens=Sum("tokens"), all_cost=Sum("cost"))
    rows = sums.order_by("-all_tokens", "project_id").values_list("project_id", "all_tokens", "all_cost")
    return [Spent._make(row) for row in rows[:MOST_ROWS]]


def require_model_budget(project_id: UUID) -> None:
    """Call it before a language model is asked. Raises BudgetSpent, NotFound."""
    now = timezone.now()
    model_budget_of(project_id, now=now).require(now=now)


def count_spending(
    project_id: UUID, completions: Sequence[Completion | None], *, answered: bool, now: datetime
) -> None:
    """Add calls to the project's spending of the day. The arguments are those of spending_figures.

    Call it in the transaction that stores the calls, and late, as it locks the row until the end.
    """
    execute(COUNT_SPENDING, spending_figures(project_id, completions, answered=answered, now=now))


def spending_figures(
    project_id: UUID, completions: Sequence[Completion | None], *, answered: bool, now: datetime
) -> dict[str, Any]:
    """The parameters of COUNT_SPENDING. None is a call without an answer; `answered`: at least one was usable."""
    came = [completion for completion in completions if completion is not None]
    return {
        "project": project_id,
        "day": ModelBudget.day_of(now),
        "calls": len(completions),
        "tokens": sum(_count(call.prompt_tokens) + _count(call.output_tokens) for call in came),
        "cost": sum((call.cost for call in came if call.cost is not None), Decimal(0)),
        "unpriced": sum(call.cost is None for call in came),
        "answered_at": now if answered else None,
    }


def count_apart(project_id: UUID, completion: Completion | None, *, answered: bool) -> None:
    """Count one call in a thread that nobody waits for: errors of the database are logged, not raised."""
    try:
        count_spending(project_id, [completion], answered=answered, now=timezone.now())
    except DatabaseError as away:
        log.warning("a call could not be counted", event_name="model.call.not_counted", exc_info=away)
    finally:
        connection.close()


def set_model_budget(
    *, project_id: UUID, by: Actor, daily_tokens: int | None, daily_usd: Decimal | None
) -> ModelBudget:
    """Set a project's limits (None: the settings'; 0: no limit), and make what waits for a budget due now.

    Raises NotFound, InvalidInput.
    """
    for name, limit in (("daily_tokens", daily_tokens), ("daily_usd", daily_usd)):
        if limit is not None and limit < 0:
            raise InvalidInput.of(name, "is below zero; 0 stands for no limit")
    with transaction.atomic():
        project: Project = require(Project.objects.select_for_update().filter(id=project_id), "project")
        project.daily_tokens, project.daily_usd = daily_tokens, daily_usd
        project.save(update_fields=["daily_tokens", "daily_usd"])
        usd = None if daily_usd is None else str(daily_usd)
        audit_row(project, "project.model_budget_set", by, daily_tokens=daily_tokens, daily_usd=usd)
    _make_due(project_id)
    return model_budget_of(project_id)


def _make_due(project_id: UUID) -> None:
    """Make due what waits for the project's budget; the sweep then enqueues it.

    Each relationship has a transaction of its own, under its lock, like its readers.
    """
    now = timezone.now()
    waiting = Turn.objects.filter(
        project_id=project_id, state=TurnState.PENDING, waiting_since__isnull=False, error_code=REASON
    )
    for relationship_id in list(waiting.order_by().values_list("relationship_id", flat=True).distinct()):
        with transaction.atomic():
            if lock_relationship(relationship_id):
                waiting.filter(relationship_id=relationship_id).update(due_at=now)
    for kind in apps.get_models():  # summaries, behaviours and agents call models, too
        if kind is not Turn and issubclass(kind, QueuedRow) and issubclass(kind, RelationshipOwned):
            owed = kind._default_manager.filter(project_id=project_id, due_at__gt=now, error_code=REASON)
            owed.filter(lease_token=None, **kind.WAITING).update(due_at=now)


def _count(tokens: int | None) -> int:
    """Read the count that a server reports; some report -1 for unknown."""
    return max(0, tokens or 0)
