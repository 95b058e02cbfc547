"""What differs between two configurations, in words: from the recipe, or between what holds and what is about to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from admin_ui.config_schema import leaf_paths, value_at
from admin_ui.params import pretty
from admin_ui.setting_words import choice_label, section_label, setting_label
from admin_ui.word_diff import Piece, word_diff
from relationships.configuration.cascade import resolve_configuration
from relationships.models import Companion

_NONE = "none"
LONG = 60  # characters from which words are compared, not values


@dataclass(frozen=True, slots=True)
class Difference:
    """One setting. `words`: of a long value, what goes and what comes; else it is `before` and `after`."""

    path: str
    label: str
    before: str
    after: str
    words: Sequence[Piece]

    @property
    def id(self) -> str:
        return f"id-{self.path.replace('.', '-')}"


def from_recipe(companion: Companion) -> list[Difference]:
    """Where the project or the companion says otherwise than its recipe."""
    resolved = resolve_configuration(project=companion.project.config, companion=companion.config).values
    recipe = resolve_configuration(companion={"recipe": resolved.recipe}).values
    return differences(recipe.model_dump(mode="json"), resolved.model_dump(mode="json"))


def between(companion: Companion, level: Mapping[str, Any]) -> list[Difference]:
    """What holds for a companion, and what would with `level` as its own. Raises InvalidConfiguration."""
    project = companion.project.config
    holds = resolve_configuration(project=project, companion=companion.config).values
    would = resolve_configuration(project=project, companion=level).values
    return differences(holds.model_dump(mode="json"), would.model_dump(mode="json"))


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    found = []
    for path in ("recipe", *leaf_paths()):
        old, new = value_at(before, path), value_at(after, path)
        if old != new:
            was, will = told(path, old), told(path, new)
            long = max(len(was), len(will)) > LONG and _NONE not in (was, will)
            words = word_diff(was, will) if long else ()
            section, _, rest = path.partition(".")
            label = f"{section_label(section)}: {setting_label(path)}" if rest else "Recipe"
            found.append(Difference(path, label, was, will, words))
    return found


def told(path: str, value: Any) -> str:
    """A value as a reader takes it."""
    if value is None or value == "":
        return _NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and not any(isinstance(part, dict | list) for part in value):
        return ", ".join(choice_label(path, str(part)) for part in value) or _NONE
    if isinstance(value, dict | list):
        return pretty(value) if value else _NONE
    return choice_label(path, value) if isinstance(value, str) and len(value) <= LONG else str(value)
