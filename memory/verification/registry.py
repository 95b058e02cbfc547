from functools import cache

from django.conf import settings
from django.utils.module_loading import import_string

from memory.verification.base import Invariant


@cache
def invariants() -> tuple[Invariant, ...]:
    """All of INVARIANTS in config/registries.py, in their order: what others rest on comes first."""
    return tuple(import_string(path)() for path in settings.INVARIANTS)
