"""The order of a list, as ?order= names it: a column's name, after a `-` downwards. One way for every list."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

MOST_SORTED = 1_000


@dataclass(frozen=True, slots=True)
class Sort:
    """`columns`: what each orders by, upwards. Those in `bounded`, which no index has, are sorted among the `newest`
    rows alone, as their table grows without end.
    """

    columns: Mapping[str, Sequence[Any]]
    usual: str
    bounded: Collection[str] = ()
    newest: Sequence[Any] = ()

    def apply(self, rows: QuerySet[Any], order: str) -> QuerySet[Any]:
        column = order.removeprefix("-")
        if column in self.bounded:
            among = rows.order_by(*self.newest).values("pk")[:MOST_SORTED]
            rows = rows.model._default_manager.filter(pk__in=among)
        found = rows.order_by(*self.columns[column])
        return found.reverse() if order.startswith("-") else found

    def names(self, order: str) -> list[str]:
        """Where a column orders by names: those, each with its direction."""
        names = [str(name) for name in self.columns[order.removeprefix("-")]]
        if not order.startswith("-"):
            return names
        return [name.removeprefix("-") if name.startswith("-") else f"-{name}" for name in names]


def order_of(request: HttpRequest, columns: Collection[str], *, usual: str) -> str:
    """The one that is asked for, where there is such a column."""
    asked = request.GET.get("order", "")
    return asked if asked.removeprefix("-") in columns else usual
