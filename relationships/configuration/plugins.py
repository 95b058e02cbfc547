"""Slugs of the settings' registries, and outsiders' own by their dotted path."""

import re
from functools import cache
from typing import Annotated, Any

from django.conf import settings
from django.utils.module_loading import import_string
from pydantic import AfterValidator

DOTTED = re.compile(r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$")
# Registries whose values are {"BACKEND", "OPTIONS"}: an alias there is an account, so no dotted path can stand in.
ALIASES = {"LLM_PROVIDERS", "EMBEDDING_PROVIDERS"}


def known_slug(registry: str, value: str) -> str:
    """`value` again, when `registry` (a setting's name) has it or it is an importable dotted path. Else ValueError."""
    known = getattr(settings, registry)
    if value in known:
        return value
    if registry not in ALIASES and DOTTED.match(value) and _importable(value):
        return value
    noun = registry.rsplit("_", 1)[-1].lower().removesuffix("s")
    noun = {"strategie": "strategy", "policie": "policy"}.get(noun, noun)
    raise ValueError(f"{value!r} is not a known {noun}; known: {', '.join(known)}")


def registered(registry: str, *besides: str) -> AfterValidator:
    """Holds a field to the slugs of `registry`, see `known_slug`, and to the words `besides`."""
    return AfterValidator(lambda value: value if value in besides else known_slug(registry, value))


ProviderAlias = Annotated[str, registered("LLM_PROVIDERS")]


def load(registry: str, value: str) -> Any:
    """What a slug or dotted path stands for."""
    return _import(getattr(settings, registry).get(value, value))


@cache
def _import(path: str) -> Any:
    return import_string(path)


def _importable(path: str) -> bool:
    """Only modules the operator named in RAPPORT_PLUGINS may be imported by a configuration's word."""
    if not any(path == plugin or path.startswith(plugin + ".") for plugin in settings.PLUGINS):
        return False
    try:
        _import(path)
    except ImportError:
        return False
    return True
