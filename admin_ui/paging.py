"""Sorting and paging of lists. ?order= names a column, with a `-` for descending; ?page= is a page's number.

A page reads one more row than it shows. The rows are counted only if a template asks for the total.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet, Value
from django.http import HttpRequest

from admin_ui.params import parse_whole_number

PAGE_SIZE = 50
CHUNKS_A_PAGE = 20  # of a document
LAST_PAGE = 1000
MOST_COUNTED = 10_000
MOST_SORTED = 1_000


@dataclass(frozen=True, slots=True)
class Sort:
    """The columns that a list can be sorted by, each with what it orders by; `default`: if ?order= names none.

    Columns in `bounded` have no index, so only the newest MOST_SORTED rows are sorted; `newest`: their order.
    """

    columns: Mapping[str, Sequence[Any]]
    default: str
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
        """Return the field names that the order sorts by, each with its direction, for a column of names only."""
        names = [str(name) for name in self.columns[order.removeprefix("-")]]
        if not order.startswith("-"):
            return names
        return [name.removeprefix("-") if name.startswith("-") else f"-{name}" for name in names]


def order_of(request: HttpRequest, columns: Collection[str], *, default: str) -> str:
    """Return the order in the URL if there is such a column, else the default."""
    asked = request.GET.get("order", "")
    return asked if asked.removeprefix("-") in columns else default


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list. `earlier`, `later`: the query strings of the adjacent pages, or None."""

    rows: Sequence[Any]
    number: int
    earlier: str | None
    later: str | None
    order: str = ""
    bounded: bool = False  # see Sort
    _all: QuerySet[Any, Any] | Sequence[Any] = field(default=(), repr=False, compare=False)

    @property
    def total(self) -> str:
        """The number of rows on all pages: "1", or "10,000+". One statement, unless this page has all rows."""
        if self.number == 1 and not self.later:
            count = len(self.rows)
        elif isinstance(self._all, QuerySet):
            one = self._all.order_by().annotate(one=Value(1)).values("one")
            count = one[: MOST_COUNTED + 1].count()  # reads no column, so that an index is enough
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
    """Read the page that the URL names, by default or if that has no rows the first, in the order that the URL names.

    `related`: for `select_related`. `name`: of the URL's parameter, for a second list on the same screen.
    """
    order = order_of(request, sort.columns, default=sort.default) if sort else ""
    if sort and isinstance(rows, QuerySet):
        rows = sort.apply(rows, order)
    rows = rows.select_related(*related) if related and isinstance(rows, QuerySet) else rows
    number = min(parse_whole_number(request.GET.get(name, ""), digits=5) or 1, LAST_PAGE)
    found = list(rows[(number - 1) * size : number * size + 1])
    if not found and number > 1:  # the list is shorter by now
        number, found = 1, list(rows[: size + 1])
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
