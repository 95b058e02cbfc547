"""Look up slugs in the settings' registries, and plugins by their dotted path."""

import re
from functools import cache
from typing import Annotated, Any

from django.conf import settings
from django.utils.module_loading import import_string
from pydantic import AfterValidator

DOTTED = re.compile(r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$")
# Registries whose values are {"BACKEND", "OPTIONS"}: an alias is an account there, so a dotted path can't replace it.
ALIASES = {"LLM_PROVIDERS", "EMBEDDING_PROVIDERS"}


def known_slug(registry: str, value: str) -> str:
    """Return `value` if `registry` (a setting's name) has it or it is a plugin's dotted path. Raises ValueError."""
    known = getattr(settings, registry)
    if value in known:
        return value
    if registry not in ALIASES and DOTTED.match(value) and _importable(value):
        return value
    noun = registry.rsplit("_", 1)[-1].lower().removesuffix("s")
    noun = {"strategie": "strategy", "policie": "policy"}.get(noun, noun)
    raise ValueError(f"{value!r} is not a known {noun}; known: {', '.join(known)}")


def registered(registry: str, *besides: str) -> AfterValidator:
    """A validator that allows what `known_slug` allows, and the words in `besides`."""
    return AfterValidator(lambda value: value if value in besides else known_slug(registry, value))


ProviderAlias = Annotated[str, registered("LLM_PROVIDERS")]


def load(registry: str, value: str) -> Any:
    """Import what a slug or dotted path refers to."""
    return _import(getattr(settings, registry).get(value, value))


@cache
def _import(path: str) -> Any:
    return import_string(path)


def _importable(path: str) -> bool:
    """Return whether `path` can be imported and is in RAPPORT_PLUGINS: a configuration may import nothing else."""
    if not any(path == plugin or path.startswith(plugin + ".") for plugin in settings.PLUGINS):
        return False
    try:
        _import(path)
    except ImportError:
        return False
    return True
