"""Find due rows whose task was lost, whose pause is over, or whose worker died.

A room's periodic task for its own rows is an `OwedRows`. One statement first checks which of these tasks have anything
to do, as mostly none has.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from config.postgresql.sessions import execute
from worker.enqueue import enqueue_task
from worker.failures import each_alone
from worker.fairness import in_turn_by_project
from worker.leases import take_back_dead
from worker.lost_nodes import answering, is_known
from worker.models import QueuedQuerySet, QueuedRow

# A new row was enqueued by its own transaction; give that a moment.
GRACE_SECONDS = 5.0

# Each by the table's index of what is open.
_QUESTION = """
(SELECT '{table}' FROM {table} WHERE lease_token IS NOT NULL{held} LIMIT 1)
UNION ALL
(SELECT '{table}' FROM {table}
  WHERE lease_token IS NULL{waiting} AND due_at <= %(now)s - make_interval(secs => %(grace)s) LIMIT 1)
"""


@dataclass(frozen=True, kw_only=True)
class OwedRows:
    """Takes back rows of `model` whose holder is gone, and enqueues a task for those that are overdue.

    `task` is enqueued with the `ids` of each. After `tries` (MAX_ATTEMPTS) a row is given up. `waiting`: a filter for
    rows that may be done next, if not all may. `most`: at once. Calling it returns how many were enqueued.
    """

    model: type[QueuedRow]
    task: str
    give_up: Callable[[Any], object]
    most: int
    ids: Sequence[str] = ("relationship_id",)
    tries: int | None = None
    waiting: Callable[[], QueuedQuerySet] | None = None

    @transaction.atomic
    def __call__(self, now: datetime) -> int:
        rows: Any = self.model._default_manager.all()
        most = settings.MAX_ATTEMPTS if self.tries is None else self.tries
        back = take_back_dead(rows, now)
        each_alone((row for row in back if row.attempts >= most), self._give_up, of=_owner_of)
        owed = [row for row in back if row.attempts < most]
        owed += postpone_overdue(self.waiting() if self.waiting else rows, now, most=self.most)
        tasks = dict.fromkeys((row.project_id, *(getattr(row, name) for name in self.ids)) for row in owed)
        for project_id, *row_ids in tasks:
            enqueue_task(self.task, *row_ids, project_id=project_id)
        return len(tasks)

    def _give_up(self, row: Any) -> int:
        with transaction.atomic():
            self.give_up(row)
        return 1


def _owner_of(row: Any) -> Any:
    """The relationship's ID; for a document, which has none, its own."""
    return getattr(row, "relationship_id", row.pk)


def postpone_overdue(rows: QueuedQuerySet, now: datetime, *, most: int) -> list[Any]:
    """Choose overdue rows, project by project, to enqueue them again. Call it in a transaction.

    They become due now, so that others come next and a full queue is not filled further.
    """
    rows = answering(rows)
    overdue = rows.overdue(now, seconds=GRACE_SECONDS)
    chosen = [row.pk for row in in_turn_by_project(overdue, most=most)]
    postponed = []
    for key in chosen:  # one statement each, as a distributed database locks rows of one shard at a time
        free = overdue.filter(pk=key).select_for_update(skip_locked=True).values("pk")
        postponed += rows.filter(pk=key).update_returning(only=free, due_at=now)
    return postponed


def models_owing(models: Collection[type[QueuedRow]], now: datetime, *, grace: float) -> set[type[QueuedRow]]:
    """Those of these models that have a row which is held, or has been due for `grace` seconds. One statement.

    All of them, if not every node of a distributed database answers.
    """
    if not models or is_known():
        return set(models)
    by_table = {model._meta.db_table: model for model in models}
    owing = execute("UNION ALL".join(map(question_of, models)), {"now": now, "grace": grace})
    return {by_table[table] for (table,) in owing}


def question_of(model: type[QueuedRow]) -> str:
    """A statement that returns the table's name, if a row of it is held or overdue."""
    held, waiting = (
        "".join(f" AND {column} = '{value}'" for column, value in states.items())
        for states in (model.HELD, model.WAITING)
    )
    return _QUESTION.format(table=model._meta.db_table, held=held, waiting=waiting)
