"""Registries of the instances behind the settings' aliases: one for language models, one for embedders.

There is one instance per alias and process, made at first use: importing a vendor's SDK takes a second and tens of MB,
and its connections must not be shared across a fork. So instances are keyed by process ID, and a child process gets a
new lock.
"""

import os
import threading
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Generic, Protocol, TypeVar, cast

from django.conf import settings
from django.utils.module_loading import import_string
from pydantic import BaseModel

from config import tracing
from config.postgresql.sessions import release_connection
from providers.errors import ProviderMisconfigured, UnknownProvider
from providers.options import option_problems


class Closable(Protocol):
    def close(self) -> None: ...


Made = TypeVar("Made", bound=Closable)


class Aliases(Generic[Made]):
    """The instances of one setting, such as LLM_PROVIDERS. `noun`: what error messages call them.

    `options`: by backend, the model that checks its OPTIONS without importing the backend.
    """

    def __init__(self, setting: str, *, noun: str, options: Mapping[str, type[BaseModel]]) -> None:
        self.setting = setting
        self.noun = noun
        self._options = options
        self._made: dict[tuple[int, str], Made] = {}
        self._renew_lock()
        os.register_at_fork(after_in_child=self._renew_lock)  # another thread may have held it in the parent

    def get(self, alias: str) -> Made:
        """Return this process's instance of an alias. Raises ProviderMisconfigured."""
        key = (os.getpid(), alias)
        instance = self._made.get(key)
        if instance is None:
            release_connection()  # on a busy machine it takes long, and other threads wait for this lock, too
            with self.lock:
                with tracing.span(f"load {alias}"):  # may take a second, once per process
                    instance = self._made.get(key) or self._make(alias)
                self._made[key] = instance
        return instance

    def reset(self) -> None:
        """Drop this process's instances, so that changed settings are read again."""
        with self.lock:
            for key in [key for key in self._made if key[0] == os.getpid()]:
                self._made.pop(key).close()

    def problems(self, alias: str, spec: object) -> list[str]:
        """Return what is wrong with one entry of the setting, as sentences. Imports no SDK."""
        where = f"{self.setting}[{alias!r}]"
        if not isinstance(spec, Mapping) or not isinstance(spec.get("BACKEND"), str):
            return [f"{where} needs a BACKEND: the dotted path of a class."]
        options = spec.get("OPTIONS", {})
        if not isinstance(options, Mapping):
            return [f"{where}['OPTIONS'] is not a mapping."]
        backend = spec["BACKEND"]
        if not _module_exists(backend):
            return [f"{where}: there is no module for {backend!r}. Check the dotted path."]
        checked = self._options.get(backend)
        problems = option_problems(checked, options) if checked else []
        return [f"{where}: {problem}" for problem in problems]

    def _renew_lock(self) -> None:
        self.lock = threading.Lock()

    def _make(self, alias: str) -> Made:
        specs: Mapping[str, Any] = getattr(settings, self.setting)
        spec = specs.get(alias)
        if spec is None:
            known = ", ".join(sorted(specs)) or "none"
            raise UnknownProvider(f"There is no {self.noun} {alias!r}. The settings know: {known}.")
        problems = self.problems(alias, spec)
        if problems:
            raise ProviderMisconfigured(" ".join(problems))
        try:
            backend = import_string(spec["BACKEND"])
        except ImportError as error:
            raise ProviderMisconfigured(f"The {self.noun} {alias!r} can't be loaded: {error}.") from error
        return cast(Made, backend(alias=alias, options=spec.get("OPTIONS", {})))


def _module_exists(dotted_path: str) -> bool:
    module, _, name = dotted_path.rpartition(".")
    try:
        return bool(module and name and find_spec(module))
    except (ImportError, ValueError):
        return False
