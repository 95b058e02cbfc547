"""The order of a list, as ?order= names it: a column's name, after a `-` downwards. One way for every list.

Where a table grows without end, a column that no index has is sorted among the newest rows alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

MOST_SORTED = 1_000
Columns = Mapping[str, Sequence[Any]]  # what each orders by, upwards


def order_of(request: HttpRequest, columns: Mapping[str, Any], *, usual: str) -> str:
    """The one that is asked for, where there is such a column."""
    asked = request.GET.get("order", "")
    return asked if asked.removeprefix("-") in columns else usual


def in_order(rows: QuerySet[Any], columns: Columns, order: str) -> QuerySet[Any]:
    found = rows.order_by(*columns[order.removeprefix("-")])
    return found.reverse() if order.startswith("-") else found


def newest(rows: QuerySet[Any], *newest_first: Any) -> QuerySet[Any]:
    """As many of them as are sorted at most."""
    return rows.model._default_manager.filter(pk__in=rows.order_by(*newest_first).values("pk")[:MOST_SORTED])
