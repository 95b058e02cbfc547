"""Rows that have work due. The row is the queue: all kinds of work are claimed, held and released in the same way.

`due_at` says since when work is due. A worker that claims a row writes a lease into it: a token, a time limit and its
own name. It renews the lease while it works, and checks it before it writes anything. A row whose lease ran out, or
whose holder is known to be dead, is taken back (worker.leases). A task in the queue is only a hint that there are such
rows, and may be lost.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self
from uuid import UUID, uuid4

from django.conf import settings
from django.core.exceptions import EmptyResultSet
from django.db import connections, models, transaction
from django.db.models import F, Q
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now
from django.db.models.lookups import Exact
from django.db.models.sql import UpdateQuery
from django.utils import timezone

WORKER_DIED = "worker_died"  # error_code of a row whose holder died; it shows which rows kill workers


@dataclass(frozen=True, slots=True)
class Lease:
    """Rows that were claimed together, as they are now and in no order, and the token that shows who holds them."""

    token: UUID
    rows: tuple[Any, ...]


class QueuedQuerySet(models.QuerySet[Any]):
    def due(self, now: datetime) -> Self:
        """The rows that can be claimed."""
        return self.filter(due_at__lte=now, lease_token=None, **self.model.WAITING)

    def overdue(self, now: datetime, *, seconds: float) -> Self:
        """The rows that have been due for `seconds` without being claimed."""
        return self.due(now - timedelta(seconds=seconds))

    def held(self, *tokens: UUID) -> Self:
        """The rows held under one of these tokens; without tokens, all that are held."""
        by_whom = Q(lease_token__in=tokens) if tokens else Q(lease_token__isnull=False)
        return self.filter(by_whom, **self.model.HELD)

    def claim(
        self,
        *,
        worker: str,
        now: datetime,
        most: int | None = None,
        fields: Sequence[str] = (),
        **values: Any,
    ) -> Lease | None:
        """Claim the due rows of this query, at most the first `most`; None: there are none.

        One statement, which skips rows that are being claimed at the same moment. `fields`: those to be read.
        """
        token = uuid4()
        with transaction.atomic(savepoint=False):
            free = self.due(now).select_for_update(skip_locked=True).values("pk")[:most]
            rows = self.model._default_manager.filter(**self._shard()).update_returning(
                fields,
                only=free,
                **self.model.HELD,
                lease_token=token,
                lease_until=lease_end(),
                leased_by=worker,
                **values,
            )
        return Lease(token, tuple(rows)) if rows else None

    def claim_one(self, *, worker: str) -> Any:
        """Claim the first due row of this query; None: there is none, or others hold it."""
        lease = self.claim(worker=worker, now=timezone.now(), most=1)
        return lease.rows[0] if lease else None

    def _shard(self) -> dict[str, Any]:
        """The relationship of these rows, where they are of one: a distributed database asks no other shard then."""
        exact = [each for each in self.query.where.children if isinstance(each, Exact)]
        named = {getattr(getattr(each.lhs, "target", None), "attname", ""): each.rhs for each in exact}
        return {name: value for name, value in named.items() if name == "relationship_id"}

    def renew(self, *tokens: UUID) -> int:
        """Renew the lease of the rows that are still held. Returns how many; 0: none is ours any more."""
        return self.held(*tokens).update(lease_until=lease_end())

    def release(
        self, *, due_at: datetime, counted: bool = False, code: str | None = None, **values: Any
    ) -> int:
        """Release the rows, to be tried again at `due_at`. `counted`: count a failed attempt; `code`: why it failed."""
        return self.update(**self._given_back(due_at, counted=counted, code=code), **values)

    def settle(self, **values: Any) -> int:
        """End the work on these rows. Nothing is due any more, unless `due_at` is among the values."""
        return self.update(**{"due_at": None, **_NO_LEASE, **values})

    def take_back(
        self, *, holders: Collection[str], now: datetime, fields: Sequence[str] = (), **values: Any
    ) -> list[Any]:
        """Make rows due again that these dead holders held or whose lease ran out, and count it. Returns the rows."""
        dead = self.held().filter(Q(lease_until__lte=now) | Q(leased_by__in=list(holders)))
        given_back = self._given_back(now, counted=True, code=WORKER_DIED)
        return dead.update_returning(fields, **given_back, **values)

    def update_returning(
        self, fields: Sequence[str] = (), *, only: models.QuerySet[Any] | None = None, **values: Any
    ) -> list[Any]:
        """Like `update`, but return the changed rows, with these fields or all. One statement.

        `only`: a query that finds and locks the keys of the rows to update. It runs once; as a subquery in a condition
        it might run for each row, and find further ones each time, as it skips those updated meanwhile.
        """
        query: Any = self.query.chain(UpdateQuery)
        query.add_update_values(values)
        compiler = query.get_compiler(self.db)
        table = self.model._meta.db_table
        named = [field for field in self.model._meta.concrete_fields if not fields or field.name in fields]
        columns = [field.get_col(table) for field in named]
        try:
            sql, parameters = compiler.as_sql()
            if only is not None:
                key = [f'"{field.column}"' for field in self.model._meta.pk_fields]
                found, more = only.query.sql_with_params()
                first = f"WITH found ({', '.join(key)}) AS MATERIALIZED ({found})"
                same = " AND ".join(f'found.{column} = "{table}".{column}' for column in key)
                joined = "AND" if query.where else "WHERE"
                # Not IN: Citus takes no row of columns apart where an expression of the statement has to be evaluated.
                sql = f"{first} {sql} {joined} EXISTS (SELECT 1 FROM found WHERE {same})"  # noqa: S608 - no value in it
                parameters = (*more, *parameters)
        except EmptyResultSet:
            return []
        with connections[self.db].cursor() as cursor:
            returned = ", ".join(f'"{table}"."{column.target.column}"' for column in columns)
            cursor.execute(f"{sql} RETURNING {returned}", parameters)
            rows = compiler.apply_converters(cursor.fetchall(), compiler.get_converters(columns))
            names = [column.target.attname for column in columns]
            return [self.model.from_db(self.db, names, row) for row in rows]

    def _given_back(self, due_at: datetime, *, counted: bool, code: str | None) -> dict[str, Any]:
        attempts = {"attempts": F("attempts") + 1} if counted else {}
        why = {} if code is None else {"error_code": code}
        return {**_NO_LEASE, **self.model.WAITING, **attempts, **why, "due_at": due_at}


class QueuedRow(models.Model):
    """The columns of a row that is a queue. If it has a state too, WAITING and HELD name its values.

    FAILED_AT: a column that says about when a row failed. Those that failed within a day are counted; without it, all.
    """

    WAITING: ClassVar[dict[str, Any]] = {}
    HELD: ClassVar[dict[str, Any]] = {}
    FAILED_AT: ClassVar[str] = ""

    due_at = models.DateTimeField(null=True)  # null: no work is due, or not yet
    attempts = models.PositiveIntegerField(default=0)  # failed ones, since it became due
    lease_token = models.UUIDField(null=True)  # null: no worker holds it
    lease_until = models.DateTimeField(null=True)
    leased_by = models.CharField(max_length=120, blank=True, default="", db_default="")  # worker.identity
    error_code = models.CharField(max_length=60, blank=True)  # of the last failed attempt

    class Meta:
        abstract = True

    def held_row(self) -> QueuedQuerySet:
        """This row, for as long as it is held under the lease that it was taken with."""
        assert self.lease_token is not None, "what was taken has a lease"
        rows: Any = type(self)._default_manager.filter(pk=self.pk)
        held: QueuedQuerySet = rows.held(self.lease_token)
        return held

    def keep_lease(self) -> bool:
        """Renew the lease, from any thread. False: it is not held any more."""
        return bool(self.held_row().update(lease_until=lease_end()))


def lease_end() -> CombinedExpression:
    """The end of a lease that is taken or renewed now, by the database's clock, as whoever takes it back goes by that:
    the lease of a worker whose clock is behind would have ended before it began.
    """
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)


_NO_LEASE = {"lease_token": None, "lease_until": None, "leased_by": ""}
