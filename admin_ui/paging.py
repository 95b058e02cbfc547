"""Pages of a list by number. One more row than shown is read, so that nothing has to be counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

PAGE_SIZE = 50
LAST_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a list. `earlier` and `later`: the query string of the pages around it, or None."""

    rows: Sequence[Any]
    number: int
    earlier: str | None
    later: str | None


def page_of(request: HttpRequest, rows: QuerySet[Any, Any] | Sequence[Any], *, size: int = PAGE_SIZE) -> Page:
    """The page that ?page= names, the first where it names none."""
    number_param = request.GET.get("page", "1")
    number = (
        min(int(number_param), LAST_PAGE)
        if number_param.isdecimal() and len(number_param) < 6 and int(number_param)
        else 1
    )
    found = list(rows[(number - 1) * size : number * size + 1])
    return Page(
        rows=found[:size],
        number=number,
        earlier=_address(request, number - 1) if number > 1 else None,
        later=_address(request, number + 1) if len(found) > size else None,
    )


def _address(request: HttpRequest, number: int) -> str:
    query = request.GET.copy()
    query["page"] = str(number)
    return f"?{query.urlencode()}"
