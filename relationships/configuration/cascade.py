"""The cascade: turn > relationship > companion > project > recipe > default.

Merged like RFC 7396: objects merge, anything else replaces. Null resets a value to its default, whatever the
levels below say (there is always a default, so nothing is ever just removed).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Any

import orjson
from pydantic import ValidationError

from relationships.configuration.bounded_cache import KeptByText
from relationships.configuration.plugins import known_slug, load
from relationships.configuration.schema import Configuration, configuration_model
from web.errors import FieldProblem, InvalidConfiguration
from web.field_problems import listed_errors, outdone, sentence_of

LEVELS = ("project", "companion", "relationship", "turn")  # lowest first


@dataclass(frozen=True, slots=True)
class ResolvedConfiguration:
    """The resulting values, and the level that set each (`provenance`, by dotted path; absent: the default)."""

    values: Configuration
    provenance: Mapping[str, str]

    def levels(self) -> dict[str, str]:
        """The level of each value, by dotted path: default, recipe, project, companion, relationship, turn."""
        paths = dict(_paths(self.values.model_dump(mode="json"), ""))
        return {path: self.provenance.get(path, "default") for path in paths}


_kept: KeptByText[ResolvedConfiguration] = KeptByText()


def resolve_configuration(
    project: Mapping[str, Any] | None = None,
    companion: Mapping[str, Any] | None = None,
    relationship: Mapping[str, Any] | None = None,
    turn: Mapping[str, Any] | None = None,
) -> ResolvedConfiguration:
    """Merge the levels that apply to one turn or context. Raises InvalidConfiguration, naming the field."""
    said = tuple(orjson.dumps(level or {}) for level in (project, companion, relationship, turn))
    return _kept.get(said, _resolve)


def valid_configuration(levels: Iterable[Mapping[str, Any]]) -> Configuration | None:
    """The values by these levels, lowest first; None if they are invalid, which others report."""
    try:
        return resolve_configuration(*levels).values
    except InvalidConfiguration:
        return None


def _resolve(texts: Sequence[bytes]) -> ResolvedConfiguration:
    levels = [(name, orjson.loads(raw)) for name, raw in zip(LEVELS, texts, strict=True)]
    recipes = [level["recipe"] for _, level in levels if isinstance(level.get("recipe"), str)]
    recipe = recipes[-1] if recipes else "scratchpad"
    said = [("recipe", _recipe_values(recipe)), *levels]
    merged = _defaults()
    for _, level in said:
        merged = _overlay(merged, level, _defaults())
    values = validate_configuration(merged)
    provenance: dict[str, str] = {}
    for name, level in said:
        _trace(name, level, provenance)
    return ResolvedConfiguration(values, provenance)


def validate_configuration(raw: Mapping[str, Any]) -> Configuration:
    """Validate one level, or a merged one, against the schema. Raises InvalidConfiguration.

    It is read strictly as JSON: `"8"` and `true` are not numbers.
    """
    try:
        return configuration_model().model_validate_json(orjson.dumps(raw), strict=True)
    except ValidationError as error:
        lines = [(".".join(map(str, line["loc"])) or "config", line) for line in listed_errors(error)]
        kinds = {path: line["type"] for path, line in lines}
        problems = [FieldProblem(path, sentence_of(line)) for path, line in lines if not outdone(path, kinds)]
        raise InvalidConfiguration(problems) from None


def validate_level(raw: Mapping[str, Any]) -> None:
    """Validate a level as a developer sends it, where null means the default. Raises InvalidConfiguration."""
    recipe = raw.get("recipe")
    base = _overlay(_defaults(), _recipe_values(recipe) if isinstance(recipe, str) else {}, _defaults())
    validate_configuration(_overlay(base, raw, _defaults()))


@cache
def _defaults() -> dict[str, Any]:
    """The defaults. One shared dict: merging never changes the level below."""
    values: dict[str, Any] = configuration_model()().model_dump(mode="json")
    return values


def _overlay(below: Any, level: Mapping[str, Any], defaults: Any) -> dict[str, Any]:
    """`below` with `level` on top; null brings the default back, or removes what has none."""
    merged = dict(below) if isinstance(below, dict) else {}
    known = defaults if isinstance(defaults, dict) else {}
    for name, value in level.items():
        if value is None and name not in known:
            merged.pop(name, None)
        elif value is None:
            merged[name] = known[name]
        elif isinstance(value, dict):
            merged[name] = _overlay(merged.get(name), value, known.get(name))
        else:
            merged[name] = value
    return merged


def _recipe_values(slug: str) -> dict[str, Any]:
    """The recipe's values; {} if it is unknown, which the schema then reports. Imports only registered plugins."""
    try:
        recipe: dict[str, Any] = load("RECIPES", known_slug("RECIPES", slug))["config"]
    except ValueError:
        return {}
    return recipe


def _trace(level: str, values: Mapping[str, Any], provenance: dict[str, str]) -> None:
    """Record what `level` sets in `provenance`: it overrides the levels below, and a null removes their records."""
    said = dict(_paths(values, ""))
    ended = {path for path, value in said.items() if value is None}
    if ended:
        for known in [known for known in provenance if not ended.isdisjoint(_with_ancestors(known))]:
            del provenance[known]
    provenance.update((path, level) for path in said if path not in ended)


def _paths(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _paths(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _with_ancestors(path: str) -> Iterable[str]:
    """The path and its ancestors: `a`, `a.b`, `a.b.c`."""
    return accumulate(path.split("."), "{}.{}".format)
