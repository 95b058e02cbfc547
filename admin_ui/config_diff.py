"""Differences between two configurations, in words: from the recipe, or by a change."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from admin_ui.config_schema import field_id, leaves, value_at
from admin_ui.params import pretty_json
from admin_ui.setting_words import choice_label, section_label, setting_label
from admin_ui.word_diff import Piece, word_diff
from relationships.configuration.cascade import resolve_configuration
from relationships.models import Companion

_NONE = "none"
LONG = 60  # characters; longer values are compared word by word


@dataclass(frozen=True, slots=True)
class Difference:
    """A setting with both values in words. `pieces`: the difference between long values, else empty."""

    path: str
    label: str
    before: str
    after: str
    pieces: Sequence[Piece]

    @property
    def id(self) -> str:
        return field_id(self.path)


def differences_from_recipe(companion: Companion) -> list[Difference]:
    """Return the values that the project or the companion sets differently from its recipe."""
    resolved = resolve_configuration(project=companion.project.config, companion=companion.config).values
    recipe = resolve_configuration(companion={"recipe": resolved.recipe}).values
    return _differences(recipe.model_dump(mode="json"), resolved.model_dump(mode="json"))


def differences_by(level: Mapping[str, Any], companion: Companion) -> list[Difference]:
    """Return what `level` as the companion's own would change. Raises InvalidConfiguration."""
    project = companion.project.config
    present = resolve_configuration(project=project, companion=companion.config).values
    changed = resolve_configuration(project=project, companion=level).values
    return _differences(present.model_dump(mode="json"), changed.model_dump(mode="json"))


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    found = []
    for path in ("recipe", *(path for path, _ in leaves())):
        values = value_at(before, path), value_at(after, path)
        if values[0] != values[1]:
            old, new = (_in_words(path, value) for value in values)
            long = max(len(old), len(new)) > LONG and _NONE not in (old, new)
            pieces = _named_pieces(*values) or (word_diff(old, new) if long else ())
            section, _, rest = path.partition(".")
            label = f"{section_label(section)}: {setting_label(path)}" if rest else "Recipe"
            found.append(Difference(path, label, old, new, pieces))
    return found


def _named_pieces(before: Any, after: Any) -> Sequence[Piece]:
    """The difference between two lists of things with names, such as types: those that differ, one after the other."""
    try:
        old, new = ({part["name"]: part for part in parts} for parts in (before, after))
    except (TypeError, KeyError):
        return ()
    pieces = list[Piece]()
    for name in dict.fromkeys([*old, *new]):
        lines = [json.dumps(side[name], ensure_ascii=False) if name in side else "" for side in (old, new)]
        if lines[0] != lines[1]:
            pieces += [*word_diff(*lines), Piece("same", "\n")]
    return pieces


def _in_words(path: str, value: Any) -> str:
    if value is None or value == "":
        return _NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and not any(isinstance(part, dict | list) for part in value):
        return ", ".join(choice_label(path, str(part)) for part in value) or _NONE
    if isinstance(value, dict | list):
        return pretty_json(value) if value else _NONE
    return choice_label(path, value) if isinstance(value, str) and len(value) <= LONG else str(value)
