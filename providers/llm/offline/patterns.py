"""Reads rules.toml: word lists, named patterns, and the table of statements and how they are stored."""

import re
import tomllib
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

RULES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("rules.toml").read_text())
WORDS: dict[str, frozenset[str]] = {name: frozenset(words.split()) for name, words in RULES["words"].items()}


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of statement; rules.toml explains the fields."""

    kind: str
    type: str
    said: re.Pattern[str]
    unless: re.Pattern[str] | None = None
    kept: str = ""
    key: str | None = None
    value: str = ""
    how: str = ""
    past: bool = False
    dated: bool = False
    later: bool | None = None
    constraint: bool = False


def pattern(text: str) -> re.Pattern[str]:
    """Compile a case-insensitive pattern. It is only matched against short clauses."""
    return re.compile(text, re.IGNORECASE)


def any_of(words: frozenset[str] | dict[str, str]) -> str:
    """A pattern that matches any of the words."""
    return f"(?:{'|'.join(sorted(map(re.escape, words), key=len, reverse=True))})"


def _with_parts(text: str, parts: dict[str, str]) -> str:
    return reduce(lambda done, part: done.replace(f"<{part[0]}>", part[1]), parts.items(), text)


def _read_parts() -> dict[str, str]:
    """The named parts of patterns; a part may use earlier ones."""
    parts = {f"ANY_{name.upper()}": any_of(words) for name, words in WORDS.items()}
    for name, text in RULES["parts"].items():
        parts[name] = _with_parts("".join(text.splitlines()), parts)
    return parts


PARTS = _read_parts()


def part(name: str) -> re.Pattern[str]:
    """Compile the part of that name in rules.toml."""
    return pattern(PARTS[name])


def _read(text: str) -> re.Pattern[str]:
    said = re.sub(r"(?<!\\)\bW\b", "(?:I|we)", re.sub(r"\bAM\b", "(?:I am|we are)", text))
    return pattern(_with_parts(said, PARTS))


def _row(given: dict[str, Any]) -> Row:
    unless = given.pop("unless", "")
    return Row(said=_read("^" + given.pop("said")), unless=_read(unless) if unless else None, **given)


TABLE = tuple(map(_row, RULES["table"]["rows"]))
_HEAD_ENDS = ("at", "in", "for", "of", "with", "from", "on", "and", "who", "that", "by", ",")


def is_job(phrase: str) -> bool:
    """Return whether the head of a noun phrase is an occupation: "high school teacher", "nurse in a hospice"."""
    said = phrase.lower().replace(",", " ,").split()[:7]
    ends = next((i for i, word in enumerate(said) if word in _HEAD_ENDS), len(said))
    return 0 < ends < 6 and said[ends - 1] in WORDS["occupations"]
