"""Reads the tables of our Markdown files."""

import re

from tests.guards.sources import ROOT

REFERENCE = ROOT / "docs" / "reference"
_ROW = re.compile(r"^\|(.+)\|\s*$")


def rows_of(file: str, *, under: str = "") -> list[list[str]]:
    """The cells of every table row of a reference page; with `under`, of those below that heading only."""
    text = (REFERENCE / file).read_text()
    if under:
        text = section_of(text, under)
    rows = [_ROW.match(line) for line in text.splitlines()]
    cells = [[cell.strip() for cell in row[1].split(" | ")] for row in rows if row]
    return [row for row in cells if not set("".join(row)) <= set("-|: ")]


def named_in(file: str, *, under: str = "") -> dict[str, list[str]]:
    """Rows whose first cell is `code`, by that code."""
    return {row[0].strip("`"): row for row in rows_of(file, under=under) if re.fullmatch(r"`[^`]+`", row[0])}


def section_of(text: str, heading: str) -> str:
    """What stands below a heading, until the next one of its rank or above."""
    level = len(heading) - len(heading.lstrip("#"))
    found = re.search(rf"^{re.escape(heading)}$(.*?)(?=^#{{1,{level}}} |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"there is no heading {heading!r}"
    return found[1]
