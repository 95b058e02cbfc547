"""HaluMem's labelled updates, as the measurement reads them: what was known, what came, and what it replaced."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# "[Recorded on Oct 04, 2025][Location] ...": labels of the set, not part of what is said
_LABELS = re.compile(r"^(?:\[[A-Z][^\]]*\])+\s*")


@dataclass(frozen=True, slots=True)
class Fact:
    """`replaces`: texts of what it makes untrue; empty: a fact that is simply new."""

    text: str
    replaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    display_name: str
    sessions: tuple[tuple[Fact, ...], ...]


def read_people(folder: Path) -> list[Person]:
    """Everyone of the folder; nobody where there is no such folder."""
    return [
        _person(file.stem, json.loads(line))
        for file in sorted(folder.glob("*.jsonl"))
        for line in file.read_text().splitlines()
    ]


def _person(name: str, data: Mapping[str, Any]) -> Person:
    match = re.search(r"Name: ([^;]+);", data["persona_info"])
    sessions = (tuple(_fact(point) for point in session["memory_points"]) for session in data["sessions"])
    return Person(name, match[1].strip() if match else "", tuple(sessions))


def _fact(point: Mapping[str, Any]) -> Fact:
    replaced = point["original_memories"] if point["is_update"] == "True" else []
    return Fact(_said(point["memory_content"]), tuple(dict.fromkeys(map(_said, replaced))))


def _said(text: str) -> str:
    return _LABELS.sub("", text.strip())
