"""People and companions by a part of their name or ID, however it is spelt; and the companions that a filter lists."""

import unicodedata
from functools import reduce
from operator import and_, or_

from django.db.models import Case, F, Func, Q, QuerySet, TextField, Value, When
from django.db.models.lookups import Contains
from django.http import HttpRequest

from admin_ui.params import parse_uuid, text_param
from memory.models.folding import Folded
from memory.words import words_of
from relationships.models import Companion

COMPANIONS_LISTED = 200
_SIGNS = " -_.,'’@:/+()\u00a0\u2010\u2011"
_WITHOUT = str.maketrans("", "", _SIGNS)


def is_called(query: str, *fields: str) -> Q:
    """Where one of the fields has every word of the query, or a part of it; signs alone as they stand."""
    spellings = [
        {form.removeprefix("tel:").translate(_WITHOUT) for form in word.forms} for word in words_of(query)
    ]
    if not spellings:
        return reduce(or_, (Q(**{f"{field}__icontains": query}) for field in fields))
    return reduce(or_, (reduce(and_, (_has_one(field, forms) for forms in spellings)) for field in fields))


def companions_listed(request: HttpRequest, rows: QuerySet[Companion]) -> QuerySet[Companion]:
    """The first by name; before them the one that ?companion= names, which a filter must not lose."""
    chosen = parse_uuid(request.GET.get("companion", ""))
    is_chosen = [Case(When(id=chosen, then=Value(0)), default=Value(1))] if chosen else []
    return rows.order_by(*is_chosen, "name", "id")[:COMPANIONS_LISTED]


def companions_called(request: HttpRequest, rows: QuerySet[Companion]) -> QuerySet[Companion]:
    """Those that ?name= finds by name or slug; all, where it says nothing."""
    name = text_param(request.GET, "name", limit=200)
    return rows.filter(is_called(name, "name", "slug")) if name else rows


def typable(text: str) -> str:
    """Without what no keyboard has: signs that only direct or join others, and spaces beyond one."""
    signs = unicodedata.normalize("NFC", text)
    return " ".join("".join(sign for sign in signs if unicodedata.category(sign) != "Cf").split())


def _has_one(field: str, forms: set[str]) -> Q:
    plain = Func(Folded(F(field)), Value(_SIGNS), Value(""), function="translate", output_field=TextField())
    return reduce(or_, (Q(Contains(plain, form)) for form in forms))
