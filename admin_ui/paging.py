"""Pages of a list by number. One more row than shown is read; all are counted only for a page that says how many."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet, Value
from django.http import HttpRequest

from admin_ui.params import whole_number
from admin_ui.sorting import Sort, order_of

PAGE_SIZE = 50
CHUNKS_A_PAGE = 20  # of a document
LAST_PAGE = 1000
MOST_COUNTED = 10_000


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
