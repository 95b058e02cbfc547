"""The order of a list, as ?order= names it (a column's name, after a `-` downwards), and its pages by number.

One more row than shown is read; all are counted only for a page that says how many.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet, Value
from django.http import HttpRequest

from admin_ui.params import whole_number

PAGE_SIZE = 50
CHUNKS_A_PAGE = 20  # of a document
LAST_PAGE = 1000
MOST_COUNTED = 10_000
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


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a list. `earlier` and `later`: the query string of the pages around it, or None."""

    rows: Sequence[Any]
    number: int
    earlier: str | None
    later: str | None
    order: str = ""  # see Sort
    bounded: bool = False
    _all: QuerySet[Any, Any] | Sequence[Any] = field(default=(), repr=False, compare=False)

    @property
    def total(self) -> str:
        """How many there are on all pages: "1 relationship"'s number, or "10,000+"; a statement where it isn't seen."""
        if self.number == 1 and not self.later:
            count = len(self.rows)
        elif isinstance(self._all, QuerySet):
            one = self._all.order_by().annotate(one=Value(1)).values("one")
            count = one[: MOST_COUNTED + 1].count()  # of no column, so that an index may do
        else:
            count = len(self._all)
        return f"{MOST_COUNTED:,}+" if count > MOST_COUNTED else f"{count:,}"


def page_of(
    request: HttpRequest,
    rows: QuerySet[Any, Any] | Sequence[Any],
    *,
    size: int = PAGE_SIZE,
    sort: Sort | None = None,
    related: Sequence[str] = (),
    name: str = "page",
) -> Page:
    """The page that ?page= names, the first where it names none; with `sort` in the order that ?order= names. The rows
    come with what they are `related` to. `name`: in place of `page`, for a second list of one screen.
    """
    order = order_of(request, sort.columns, usual=sort.usual) if sort else ""
    if sort and isinstance(rows, QuerySet):
        rows = sort.apply(rows, order)
    rows = rows.select_related(*related) if related and isinstance(rows, QuerySet) else rows
    number = min(whole_number(request.GET.get(name, ""), digits=5) or 1, LAST_PAGE)
    found = list(rows[(number - 1) * size : number * size + 1])
    return Page(
        rows=found[:size],
        number=number,
        earlier=_address(request, name, number - 1) if number > 1 else None,
        later=_address(request, name, number + 1) if len(found) > size else None,
        order=order,
        bounded=sort is not None and order.removeprefix("-") in sort.bounded,
        _all=rows,
    )


def _address(request: HttpRequest, name: str, number: int) -> str:
    query = request.GET.copy()
    query[name] = str(number)
    return f"?{query.urlencode()}"
