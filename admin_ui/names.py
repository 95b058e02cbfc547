"""Find people and companions by a part of their name or ID, ignoring case, accents and punctuation."""

import unicodedata
from functools import reduce
from operator import and_, or_
from uuid import UUID

from django.db.models import Case, F, Func, Q, QuerySet, TextField, Value, When
from django.db.models.lookups import Contains
from django.http import HttpRequest

from admin_ui.params import parse_uuid, text_param
from memory.models.folding import Folded
from memory.words import words_of
from relationships.models import Companion

COMPANIONS_LISTED = 200
_PUNCTUATION = " -_.,'’@:/+()\u00a0\u2010\u2011"
_NO_PUNCTUATION = str.maketrans("", "", _PUNCTUATION)


def name_matches(query: str, *fields: str) -> Q:
    """Match rows where one of the fields contains every word of the query. A query without words matches literally."""
    spellings = [
        {form.removeprefix("tel:").translate(_NO_PUNCTUATION) for form in word.forms}
        for word in words_of(query)
    ]
    if not spellings:
        return reduce(or_, (Q(**{f"{field}__icontains": query}) for field in fields))
    return reduce(or_, (reduce(and_, (_has_one(field, forms) for forms in spellings)) for field in fields))


def companion_options(request: HttpRequest, project_id: UUID) -> QuerySet[Companion]:
    """The project's first companions by name, for a filter's options. The one in ?companion= comes before them."""
    chosen = parse_uuid(request.GET.get("companion", ""))
    is_chosen = [Case(When(id=chosen, then=Value(0)), default=Value(1))] if chosen else []
    rows = Companion.objects.of_project(project_id)
    return rows.order_by(*is_chosen, "name", "id")[:COMPANIONS_LISTED]


def companions_named(request: HttpRequest, project_id: UUID) -> QuerySet[Companion]:
    """The project's companions whose name or slug matches ?name=; all of them without it."""
    rows, name = Companion.objects.of_project(project_id), text_param(request.GET, "name", limit=200)
    return rows.filter(name_matches(name, "name", "slug")) if name else rows


def typable(text: str) -> str:
    """Remove what can't be typed: Unicode's format characters, and repeated or surrounding white space."""
    normal = unicodedata.normalize("NFC", text)
    return " ".join("".join(char for char in normal if unicodedata.category(char) != "Cf").split())


def _has_one(field: str, forms: set[str]) -> Q:
    parts = (Folded(F(field)), Value(_PUNCTUATION), Value(""))
    plain = Func(*parts, function="translate", output_field=TextField())
    return reduce(or_, (Q(Contains(plain, form)) for form in forms))
