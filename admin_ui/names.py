"""People and companions by a part of their name or ID, however it is spelt."""

from functools import reduce
from operator import and_, or_

from django.db.models import F, Func, Q, TextField, Value
from django.db.models.lookups import Contains

from memory.models.folding import Folded
from memory.words import words_of

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


def _has_one(field: str, forms: set[str]) -> Q:
    plain = Func(Folded(F(field)), Value(_SIGNS), Value(""), function="translate", output_field=TextField())
    return reduce(or_, (Q(Contains(plain, form)) for form in forms))
