"""The configuration as a form: every field of the schema, its value, where that comes from, and what may stand there.

A field that says what would hold anyway is not stored: so a companion's own level stays what makes it different, and
follows when its recipe or its project changes.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from admin_ui.config_schema import BESIDE, leaves, put_value, resolved_schema, value_at
from admin_ui.setting_words import choice_label, section_label, setting_label
from admin_ui.shown_context import label_of
from relationships.configuration.cascade import resolve_configuration
from relationships.models import Companion
from web.errors import FieldProblem

# Fields whose values a registry names: path -> setting. An outsider's dotted path is typed in over REST.
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
BLANK_TYPES = 2  # rows to add entry types in

_NULL = re.compile(r"\bnull\b", re.IGNORECASE)  # a form has an empty field for it


@dataclass(slots=True)
class ConfigField:
    """One field. `kind` picks its template; `value` is what its input shows; `level` who said so."""

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
        """Each choice and its words; what is set now is one of them, though nothing here knows it."""
        now = [self.value] if isinstance(self.value, str) and self.value else self.value or []
        known = [*self.choices, *(value for value in now if value not in self.choices)]
        return [(choice, choice_label(self.path, choice)) for choice in known]

    @property
    def nothing(self) -> str:
        """What no choice stands for."""
        return "default" if self.path.endswith(("provider", "language")) else "none"

    @property
    def id(self) -> str:
        return f"id-{self.path.replace('.', '-')}"


@dataclass(slots=True)
class ConfigSection:
    """The fields of one part, such as `ingestion`."""

    name: str
    fields: list[ConfigField] = field(default_factory=list)

    @property
    def label(self) -> str:
        return section_label(self.name)

    @property
    def changed(self) -> int:
        return sum(entry.level == "companion" for entry in self.fields)


def config_sections(companion: Companion, problems: Sequence[FieldProblem] = ()) -> list[ConfigSection]:
    """Every field with what holds for this companion (load it with its project); `problems` beside their fields."""
    resolved = resolve_configuration(project=companion.project.config, companion=companion.config)
    values = resolved.values.model_dump(mode="json")
    sections: dict[str, ConfigSection] = {}
    for leaf in leaves():
        entry = _blank(leaf)
        entry.value = _shown(entry, value_at(values, entry.path))
        entry.level = _level(entry.path, resolved.provenance)
        entry.error = " ".join(
            line.detail
            for line in problems
            if line.field == entry.path or line.field.startswith(f"{entry.path}.")
        )
        name = entry.path.split(".", 1)[0]
        sections.setdefault(name, ConfigSection(name)).fields.append(entry)
    return list(sections.values())


def inherited(companion: Companion) -> dict[str, Any]:
    """What would hold if the companion said nothing but its recipe."""
    own = {"recipe": companion.config["recipe"]} if companion.config.get("recipe") else {}
    resolved = resolve_configuration(project=companion.project.config, companion=own)
    values: dict[str, Any] = resolved.values.model_dump(mode="json")
    return values


def read_config(sent: Mapping[str, str], companion: Companion) -> dict[str, Any]:
    """The companion's level as the form says it, with what stands on other pages. The service validates it."""
    below = inherited(companion)
    level: dict[str, Any] = {name: companion.config[name] for name in BESIDE if companion.config.get(name)}
    for entry in map(_blank, leaves()):
        value = _read(entry, sent)
        if value != value_at(below, entry.path):
            put_value(level, entry.path, value)
    return level


def _level(path: str, provenance: Mapping[str, str]) -> str:
    """Who said so: the highest level that names the field or a part of it."""
    order = ("default", "recipe", "project", "companion")
    found = [level for known, level in provenance.items() if known == path or known.startswith(f"{path}.")]
    return max(found, key=order.index, default="default")


def _blank(leaf: tuple[str, Mapping[str, Any]]) -> ConfigField:
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
        return "json"  # a list of small objects that few companions change
    if schema.get("type") == "object" and schema.get("additionalProperties") is True:
        return "json"  # an object of anything
    if resolved_schema(schema.get("items", {})).get("type") == "integer":
        return "numbers"
    kinds = {"boolean": "flag", "integer": "whole", "number": "number", "array": "lines", "object": "pairs"}
    return kinds.get(str(schema.get("type")), "text" if path in LONG else "line")


def _shown(entry: ConfigField, value: Any) -> Any:
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
        off = {"enabled": True, "budget": None}
        layers = settings.CONTEXT_LAYERS
        return [{"name": name, "label": label_of(name), **(value.get(name) or off)} for name in layers]
    return "" if value is None else value


def _read(entry: ConfigField, sent: Mapping[str, str]) -> Any:
    """What the form says of one field, as JSON has it; text that is no number is left for the schema to refuse."""
    if entry.kind == "types":
        return _read_types(entry.path, sent)
    if entry.kind == "layers":
        return _read_layers(entry.path, sent)
    if entry.kind == "picks":
        prefix = f"{entry.path}="
        return [name.removeprefix(prefix) for name in sent if name.startswith(prefix)]
    text = sent.get(entry.path, "").replace("\r\n", "\n").replace("\x00", "")
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
            continue  # an empty row, or one whose name was taken away: the type goes
        examples = sent.get(f"{path}.{place}.examples", "").replace("\r\n", "\n").split("\n")
        rows.append(
            {
                "name": name.strip(),
                "description": sent.get(f"{path}.{place}.description", "").strip(),
                "examples": [line.strip() for line in examples if line.strip()],
            }
        )
    return rows


def _read_layers(path: str, sent: Mapping[str, str]) -> dict[str, Any]:
    """Only layers that differ from the usual: on, and without a budget."""
    layers: dict[str, Any] = {}
    for name in settings.CONTEXT_LAYERS:
        budget = sent.get(f"{path}.{name}.budget", "").strip()
        setting = {
            "enabled": sent.get(f"{path}.{name}.enabled") == "true",
            "budget": _number(budget, whole=True) if budget else None,
        }
        if setting != {"enabled": True, "budget": None}:
            layers[name] = setting
    return layers


def _number(text: str, *, whole: bool) -> Any:
    try:
        return int(text) if whole else float(text)
    except ValueError:
        return text.strip()


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
