"""Rows that owe work besides turns and texts, counted by project, kind and state.

Each part of the statement uses the index of the sweep, and one of what failed; counting stops at COUNT_LIMIT.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.apps import apps
from django.conf import settings
from django.db.models.functions import Now

from config.postgresql.sessions import execute
from web.errors import BudgetSpent
from worker.condition import COUNT_LIMIT
from worker.models import QueuedRow

DUE, RETRYING, PROCESSING, FAILED = STATES = "due", "retrying", "processing", "failed"
# These have counts of their own (worker.condition).
_COUNTED_APART = ("turn", "search text")

# What is due and what waits for its next try are limited separately, so that neither hides the other. No pause before a
# retry is longer than `cap`, beyond which only schedules are. A spent budget is no failure.
_COUNT = """
SELECT project_id, '{kind}' AS kind, state, count(*) FROM (
    (SELECT project_id, CASE WHEN error_code NOT IN ('', %(budget)s) THEN 'retrying'
                             WHEN lease_token IS NULL THEN 'due' ELSE 'processing' END AS state
       FROM {table} WHERE {open}{of_project} AND due_at <= now() ORDER BY due_at LIMIT %(limit)s)
    UNION ALL
    (SELECT project_id, 'retrying' FROM {table}
      WHERE {open}{of_project} AND due_at > now() AND due_at <= now() + make_interval(secs => %(cap)s)
        AND error_code NOT IN ('', %(budget)s) ORDER BY due_at LIMIT %(limit)s)
    UNION ALL
    (SELECT project_id, 'failed' FROM {table} WHERE state = 'failed'{of_project}{lately} LIMIT %(limit)s)) AS counted
 GROUP BY 1, 2, 3
"""


@dataclass(frozen=True, slots=True)
class Work:
    """Rows of one project, kind and state. `kind`: such as "agent session"; `state`: one of STATES."""

    project_id: UUID
    kind: str
    state: str
    rows: int


def other_work() -> list[type[QueuedRow]]:
    """The models that are counted here."""
    queued = [model for model in apps.get_models() if issubclass(model, QueuedRow)]
    return [model for model in queued if model._meta.verbose_name not in _COUNTED_APART]


def read_other_work(project_id: UUID | None = None) -> list[Work]:
    """Of all projects, or of one, which the rows of others then don't hide. One statement. Raises django.db.Error."""
    limits: dict[str, Any] = {
        "budget": BudgetSpent.code,
        "cap": settings.RETRY_CAP_SECONDS,
        "limit": COUNT_LIMIT,
        "project": project_id,
    }
    counts = (count_of(model, of_one=project_id is not None) for model in other_work())
    return [Work(*row) for row in execute("UNION ALL".join(counts), limits)]


def rows_of(model: type[QueuedRow], project_id: UUID, state: str) -> Any:
    """The project's rows that are counted as `retrying`, the next try first, or `failed`, the latest first."""
    every: Any = model._default_manager
    rows = every.filter(project_id=project_id)
    if state == FAILED:
        lately = {f"{model.FAILED_AT}__gt": Now() - timedelta(days=1)} if model.FAILED_AT else {}
        return rows.filter(state=FAILED, **lately).order_by(f"-{model.FAILED_AT or 'pk'}")
    states = [name for each in (model.WAITING, model.HELD) for name in each.values()]
    is_open = {"state__in": states} if states else {"due_at__isnull": False}
    until = Now() + timedelta(seconds=settings.RETRY_CAP_SECONDS)
    tried = rows.filter(**is_open, due_at__lte=until).exclude(error_code__in=["", BudgetSpent.code])
    return tried.order_by("due_at")


def count_of(model: type[QueuedRow], *, of_one: bool = False) -> str:
    """The statement that counts a model's rows by project, kind and state; `of_one`: those of the project named."""
    states = ", ".join(f"'{state}'" for each in (model.WAITING, model.HELD) for state in each.values())
    return _COUNT.format(
        kind=model._meta.verbose_name,
        table=model._meta.db_table,
        open=f"state IN ({states})" if states else "due_at IS NOT NULL",
        of_project=" AND project_id = %(project)s" if of_one else "",
        lately=f" AND {model.FAILED_AT} > now() - interval '1 day'" if model.FAILED_AT else "",
    )
