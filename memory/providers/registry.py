"""Which provider stands behind an alias.

One instance per alias and process, made at first use: a vendor's SDK takes a second and tens of MB to import,
and its connections may not cross a fork. Instances are kept under the process's ID and a child starts with a
lock of its own.
"""

import os
import threading
from collections.abc import Mapping
from importlib.util import find_spec

from django.conf import settings
from django.utils.module_loading import import_string

from memory.providers.base import LLMProvider
from memory.providers.errors import ProviderMisconfigured, UnknownProvider
from memory.providers.options import GeminiOptions, HostedOptions, OpenAIOptions, option_problems

# Options that can be checked without importing the SDK behind them.
OPTIONS_BY_BACKEND: dict[str, type[HostedOptions]] = {
    "memory.providers.gemini.GeminiProvider": GeminiOptions,
    "memory.providers.openai.OpenAIProvider": OpenAIOptions,
}

_providers: dict[tuple[int, str], LLMProvider] = {}
_lock = threading.Lock()


def _renew_lock() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)  # another thread may have held it in the parent


def get_provider(alias: str) -> LLMProvider:
    """The provider of that alias in LLM_PROVIDERS. Raises ProviderMisconfigured."""
    key = (os.getpid(), alias)
    provider = _providers.get(key)
    if provider is None:
        with _lock:
            provider = _providers.get(key) or _make_provider(alias)
            _providers[key] = provider
    return provider


def reset_providers() -> None:
    """Forget this process's instances, so that changed settings are read again."""
    with _lock:
        for key in [key for key in _providers if key[0] == os.getpid()]:
            _providers.pop(key).close()


def provider_problems(alias: str, spec: object) -> list[str]:
    """What is wrong with one entry of LLM_PROVIDERS, in sentences; empty if nothing is. Imports no SDK."""
    if not isinstance(spec, Mapping) or not isinstance(spec.get("BACKEND"), str):
        return [f"LLM_PROVIDERS[{alias!r}] needs a BACKEND: the dotted path of a provider class."]
    options = spec.get("OPTIONS", {})
    if not isinstance(options, Mapping):
        return [f"LLM_PROVIDERS[{alias!r}]['OPTIONS'] is not a mapping."]
    backend = spec["BACKEND"]
    if not _module_exists(backend):
        return [f"LLM_PROVIDERS[{alias!r}]: there is no module for {backend!r}. Check the dotted path."]
    checked = OPTIONS_BY_BACKEND.get(backend)
    problems = option_problems(checked, options) if checked else []
    return [f"LLM_PROVIDERS[{alias!r}]: {problem}" for problem in problems]


def _make_provider(alias: str) -> LLMProvider:
    spec = settings.LLM_PROVIDERS.get(alias)
    if spec is None:
        known = ", ".join(sorted(settings.LLM_PROVIDERS)) or "none"
        raise UnknownProvider(f"There is no provider {alias!r}. The settings know: {known}.")
    problems = provider_problems(alias, spec)
    if problems:
        raise ProviderMisconfigured(" ".join(problems))
    try:
        backend = import_string(spec["BACKEND"])
    except ImportError as error:
        raise ProviderMisconfigured(f"The provider {alias!r} can't be loaded: {error}.") from error
    provider: LLMProvider = backend(alias=alias, options=spec.get("OPTIONS", {}))
    return provider


def _module_exists(dotted_path: str) -> bool:
    module, _, name = dotted_path.rpartition(".")
    try:
        return bool(module and name and find_spec(module))
    except (ImportError, ValueError):
        return False
