"""The resolved configuration and layers of a context, cached by the text of the levels."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from context.configuration import Context
from context.facts import Levels
from context.layers.base import Layer
from relationships.configuration.bounded_cache import KeptByText
from relationships.configuration.cascade import ResolvedConfiguration, resolve_configuration
from relationships.configuration.plugins import load
from web.errors import FieldProblem, InvalidConfiguration


@dataclass(frozen=True, slots=True)
class Plan:
    """The resolved configuration, and the enabled layers in order."""

    resolved: ResolvedConfiguration
    layers: tuple[Layer, ...]


_kept: KeptByText[Plan] = KeptByText()


def plan_for(levels: Levels, turn: Mapping[str, Any] | None) -> Plan:
    """The plan of these levels, with `turn` on top. Raises InvalidConfiguration."""
    if not turn:
        return _plan(levels)
    try:
        return _make_plan(levels, turn)
    except InvalidConfiguration as error:
        _plan(levels)  # if the stored levels are at fault, raise that first
        problems = [FieldProblem(f"config.{line.field}", line.detail) for line in error.problems]
        raise InvalidConfiguration(problems) from None


def _plan(levels: Levels) -> Plan:
    return _kept.get(levels, _make_plan)


def _make_plan(levels: Levels, turn: Mapping[str, Any] | None = None) -> Plan:
    resolved = resolve_configuration(*[*map(orjson.loads, levels), turn])
    return Plan(resolved, tuple(_layers_of(resolved.values.context)))


def _layers_of(context: Context) -> list[Layer]:
    settings = context.layers
    names = [name for name in context.order if name not in settings or settings[name].enabled]
    return [load("CONTEXT_LAYERS", name)(name) for name in names]
