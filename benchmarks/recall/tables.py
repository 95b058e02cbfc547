"""What is shown and kept: tables of recalls, on the screen and as Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table as RichTable

from benchmarks.recall.bootstrap import Interval, interval
from benchmarks.recall.evidence import Recalls

HEADINGS = ("", "@10", "@20", "change @10", "goal")


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    at_10: str
    at_20: str
    change: str = ""
    goal: str = ""

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        return self.name, self.at_10, self.at_20, self.change, self.goal


@dataclass(slots=True)
class Table:
    """`how`: what was measured, in a sentence or two."""

    title: str
    how: str
    rows: list[Row] = field(default_factory=list)


def row_of(
    name: str,
    values: Recalls,
    *,
    against: Recalls | None = None,
    goals: tuple[float | None, float | None] = (None, None),
) -> Row:
    """Means of shares, in points, with their intervals; the change is that of the same questions."""
    first, second = (interval(values[:, cut] * 100) for cut in (0, 1))
    change = "" if against is None else _change(interval((values[:, 0] - against[:, 0]) * 100))
    return Row(name, _told(first), _told(second), change, _verdict(goals, (first.mean, second.mean)))


def plain_row(name: str, values: NDArray[np.float64]) -> Row:
    return Row(name, f"{values[0]:.1f}", f"{values[1]:.1f}")


def means_row(name: str, values: Recalls) -> Row:
    """Without intervals, where there are too few questions for one."""
    return plain_row(f"{name} ({len(values)})", np.asarray(values).mean(axis=0) * 100)


def show(table: Table, console: Console) -> None:
    drawn = RichTable(title=table.title, title_justify="left", caption=table.how, caption_justify="left")
    for place, heading in enumerate(HEADINGS):
        drawn.add_column(heading, justify="left" if place in (0, 4) else "right")
    for row in table.rows:
        drawn.add_row(*row.cells)
    console.print(drawn, "")


def as_markdown(tables: Sequence[Table]) -> str:
    lines: list[str] = []
    for table in tables:
        lines += [
            f"## {table.title}",
            "",
            table.how,
            "",
            _line(HEADINGS),
            _line(["---", *["---:"] * 3, "---"]),
        ]
        lines += [_line(row.cells) for row in table.rows] + [""]
    return "\n".join(lines)


def _told(given: Interval) -> str:
    return f"{given.mean:.1f} [{given.low:.1f}, {given.high:.1f}]"


def _change(given: Interval) -> str:
    return f"{given.mean:+.1f} [{given.low:+.1f}, {given.high:+.1f}]"


def _verdict(goals: tuple[float | None, float | None], means: tuple[float, float]) -> str:
    told = [
        f"{goal:g} @{cut} {'met' if mean >= goal else 'MISSED'}"
        for cut, goal, mean in zip((10, 20), goals, means, strict=True)
        if goal is not None
    ]
    return ", ".join(told)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
