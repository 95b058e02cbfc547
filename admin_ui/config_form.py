"""The configuration as a form: every field of the schema with its value, the value's level, and its choices.

Values equal to the inherited ones are not stored. So the companion's level has only what differs, and all else follows
when the recipe or the project changes.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from admin_ui.config_schema import EDITED_ELSEWHERE, field_id, leaves, put_value, resolved_schema, value_at
from admin_ui.params import multiline_param
from admin_ui.setting_words import choice_label, section_label, setting_label
from admin_ui.shown_context import layer_label
from relationships.configuration.cascade import resolve_configuration
from relationships.models import Companion
from web.errors import FieldProblem
from web.parsing import each_once

# Fields whose choices are the names of a registry: path -> setting. A plugin's dotted path can be set over REST.
REGISTRIES = {
    "ingestion.strategy": "INGESTION_STRATEGIES",
    "ingestion.archive_strategy": "INGESTION_STRATEGIES",
    "ingestion.provider": "LLM_PROVIDERS",
    "context.provider": "LLM_PROVIDERS",
    "summaries.provider": "LLM_PROVIDERS",
    "context.format": "CONTEXT_FORMATS",
    "retrieval.gate.open_on": "GATES",
    "retrieval.ranker": "RANKERS",
    "retrieval.reranker": "RERANKERS",
    "retrieval.embedder": "EMBEDDING_PROVIDERS",
    "knowledge.embedder": "EMBEDDING_PROVIDERS",
    "forgetting.policy": "FORGETTING_POLICIES",
}
EXTRA_CHOICES = {"retrieval.embedder": ["default"], "knowledge.embedder": ["default"]}
LONG = {"context.core_prompt", "context.preamble", "summaries.prompt"}
BLANK_TYPES = 2  # empty rows for new entry types
DEFAULT_LAYER = {"enabled": True, "budget": None}

_NULL = re.compile(r"\bnull\b", re.IGNORECASE)  # in help texts: in the form it is an empty field


@dataclass(slots=True)
class ConfigField:
    """A field. `kind`: which input it has; `value`: as the input shows it; `level`: where the value is set."""

    path: str
    kind: str
    help: str
    choices: Sequence[str] = ()
    minimum: float | None = None
    maximum: float | None = None
    optional: bool = False
    value: Any = None
    level: str = "default"
    error: str = ""

    @property
    def label(self) -> str:
        return setting_label(self.path)

    @property
    def options(self) -> Sequence[tuple[str, str]]:
        """Each choice with its label. Present values that are not in a registry, such as plugins', are added."""
        present = [self.value] if isinstance(self.value, str) and self.value else self.value or []
        choices = [*self.choices, *(value for value in present if value not in self.choices)]
        return [(choice, choice_label(self.path, choice)) for choice in choices]

    @property
    def unset_label(self) -> str:
        """The label of the option without a value."""
        return "default" if self.path.endswith(("provider", "language")) else "none"

    @property
    def id(self) -> str:
        return field_id(self.path)


@dataclass(slots=True)
class ConfigSection:
    """The fields of a section of the configuration, such as `ingestion`."""

    name: str
    fields: list[ConfigField] = field(default_factory=list)

    @property
    def label(self) -> str:
        return section_label(self.name)

    @property
    def changed(self) -> int:
        return sum(entry.level == "companion" for entry in self.fields)


def config_sections(companion: Companion, problems: Sequence[FieldProblem] = ()) -> list[ConfigSection]:
    """Return all fields with the companion's resolved values. Select its project, too.

    `problems`: of a refused configuration, shown at their fields.
    """
    resolved = resolve_configuration(project=companion.project.config, companion=companion.config)
    values = resolved.values.model_dump(mode="json")
    sections: dict[str, ConfigSection] = {}
    for leaf in leaves():
        entry = _empty_field(leaf)
        entry.value = _input_value(entry, value_at(values, entry.path))
        entry.level = _level(entry.path, resolved.provenance)
        entry.error = " ".join(
            line.detail
            for line in problems
            if line.field == entry.path or line.field.startswith(f"{entry.path}.")
        )
        name = entry.path.split(".", 1)[0]
        sections.setdefault(name, ConfigSection(name)).fields.append(entry)
    return list(sections.values())


def read_config(sent: Mapping[str, str], companion: Companion) -> dict[str, Any]:
    """Return the companion's level from a sent form, with what is edited on other pages. Does not validate."""
    config = companion.config
    level: dict[str, Any] = {name: config[name] for name in EDITED_ELSEWHERE if config.get(name)}
    recipe = {"recipe": config["recipe"]} if config.get("recipe") else {}
    resolved = resolve_configuration(project=companion.project.config, companion=recipe)
    inherited = resolved.values.model_dump(mode="json")
    for entry in map(_empty_field, leaves()):
        value = _read(entry, sent)
        if value != value_at(inherited, entry.path):
            put_value(level, entry.path, value)
    return level


def _level(path: str, provenance: Mapping[str, str]) -> str:
    """Return the highest level that sets the field or a part of it."""
    order = ("default", "recipe", "project", "companion")
    found = [level for known, level in provenance.items() if known == path or known.startswith(f"{path}.")]
    return max(found, key=order.index, default="default")


def _empty_field(leaf: tuple[str, Mapping[str, Any]]) -> ConfigField:
    path, schema = leaf
    registry = REGISTRIES.get(path)
    choices = list(schema.get("enum", ()))
    if registry:
        choices = [*EXTRA_CHOICES.get(path, ()), *getattr(settings, registry)]
    return ConfigField(
        path=path,
        kind=_kind(path, schema, bool(choices)),
        help=_NULL.sub(lambda null: "Empty" if null[0] == "Null" else "empty", schema.get("description", "")),
        choices=choices,
        minimum=schema.get("minimum", schema.get("exclusiveMinimum")),
        maximum=schema.get("maximum"),
        optional=bool(schema.get("x-optional")),
    )


def _kind(path: str, schema: Mapping[str, Any], has_choices: bool) -> str:
    if path == "ingestion.types":
        return "types"
    if path == "context.layers":
        return "layers"
    if has_choices:
        return "picks" if schema.get("type") == "array" else "choice"
    if schema.get("type") == "array" and "properties" in resolved_schema(schema.get("items", {})):
        return "json"  # a list of objects
    if schema.get("type") == "object" and schema.get("additionalProperties") is True:
        return "json"  # an object with any keys and values
    if resolved_schema(schema.get("items", {})).get("type") == "integer":
        return "numbers"
    kinds = {"boolean": "flag", "integer": "whole", "number": "number", "array": "lines", "object": "pairs"}
    return kinds.get(str(schema.get("type")), "text" if path in LONG else "line")


def _input_value(entry: ConfigField, value: Any) -> Any:
    if entry.kind == "picks":
        return list(value)
    if entry.kind in ("lines", "numbers"):
        return "\n".join(map(str, value))
    if entry.kind == "json":
        return "" if value is None else json.dumps(value, ensure_ascii=False, indent=1)
    if entry.kind == "pairs":
        return "\n".join(f"{name}: {number}" for name, number in value.items())
    if entry.kind == "types":
        rows = [{**row, "examples": "\n".join(row["examples"])} for row in value]
        return [*rows, *({"name": "", "description": "", "examples": ""} for _ in range(BLANK_TYPES))]
    if entry.kind == "layers":
        layers = settings.CONTEXT_LAYERS
        return [
            {"name": name, "label": layer_label(name), **(value.get(name) or DEFAULT_LAYER)}
            for name in layers
        ]
    return "" if value is None else value


def _read(entry: ConfigField, sent: Mapping[str, str]) -> Any:
    """Return a field's value as JSON has it. Invalid numbers and JSON stay texts, which the schema refuses."""
    if entry.kind == "types":
        return _read_types(entry.path, sent)
    if entry.kind == "layers":
        return _read_layers(entry.path, sent)
    if entry.kind == "picks":
        prefix = f"{entry.path}="
        return [name.removeprefix(prefix) for name in sent if name.startswith(prefix)]
    text = multiline_param(sent, entry.path)
    if entry.kind == "flag":
        return text == "true"
    if entry.kind == "lines":
        return [line.strip() for line in text.split("\n") if line.strip()]
    if entry.kind == "numbers":
        return [_number(line, whole=True) for line in text.split("\n") if line.strip()]
    if entry.kind == "json":
        return None if entry.optional and not text.strip() else _json(text)
    if entry.kind == "pairs":
        pairs = [line.partition(":") for line in text.split("\n") if line.strip()]
        return {name.strip(): _number(value, whole=False) for name, _, value in pairs}
    if entry.kind in ("whole", "number"):
        return _number(text, whole=entry.kind == "whole") if text.strip() else None
    if not text and entry.optional:
        return None
    return text if entry.kind == "text" else text.strip()


def _read_types(path: str, sent: Mapping[str, str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for place in range(100):
        name = sent.get(f"{path}.{place}.name")
        if name is None:
            break
        if not name.strip():
            continue  # an empty row, or one whose name was removed to delete the type
        examples = multiline_param(sent, f"{path}.{place}.examples").split("\n")
        rows.append(
            {
                "name": name.strip(),
                "description": sent.get(f"{path}.{place}.description", "").strip(),
                "examples": [line.strip() for line in examples if line.strip()],
            }
        )
    return rows


def _read_layers(path: str, sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the layers that differ from DEFAULT_LAYER."""
    layers: dict[str, Any] = {}
    for name in settings.CONTEXT_LAYERS:
        budget = sent.get(f"{path}.{name}.budget", "").strip()
        setting = {
            "enabled": sent.get(f"{path}.{name}.enabled") == "true",
            "budget": _number(budget, whole=True) if budget else None,
        }
        if setting != DEFAULT_LAYER:
            layers[name] = setting
    return layers


def _number(text: str, *, whole: bool) -> Any:
    try:
        return int(text) if whole else float(text)
    except ValueError:
        return text.strip()


def _json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=each_once)
    except (ValueError, RecursionError):
        return text
