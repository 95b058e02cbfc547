"""The report of a run: sections with figures and tables, printed as Markdown and written to benchmarks/results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from statistics import median

RESULTS = Path(__file__).parent / "results"
HEADINGS = ("figure", "value", "range of rounds", "goal", "")
Row = Sequence[str]


@dataclass(frozen=True, slots=True)
class Goal:
    """An upper bound, or a lower one with `at_most` False."""

    bound: float
    at_most: bool = True

    def met_by(self, value: float) -> bool:
        return value <= self.bound if self.at_most else value >= self.bound

    def __str__(self) -> str:
        return f"{'at most' if self.at_most else 'at least'} {number(self.bound)}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number; None if it could not be measured. `range`: of several rounds."""

    name: str
    value: float | None
    unit: str = ""
    goal: Goal | None = None
    range: str = ""

    @property
    def missed(self) -> bool:
        return self.goal is not None and self.value is not None and not self.goal.met_by(self.value)

    @property
    def cells(self) -> Row:
        """The row below HEADINGS."""
        value = "not measured" if self.value is None else f"{number(self.value)} {self.unit}".strip()
        mark = "MISSED" if self.missed else "met" if self.goal and self.value is not None else ""
        return self.name, value, self.range, str(self.goal or ""), mark


def of_rounds(name: str, rounds: Sequence[float], unit: str = "", goal: Goal | None = None) -> Figure:
    """The median of several rounds, with their range."""
    return Figure(name, median(rounds), unit, goal, range_of(rounds))


def of_ratios(
    name: str, values: Sequence[float], others: Sequence[float], goal: Goal | None = None
) -> Figure:
    """The median of values as multiples of others, round by round."""
    return of_rounds(name, [one / other for one, other in zip(values, others, strict=True)], "x", goal)


def range_of(rounds: Sequence[float]) -> str:
    return f"{number(min(rounds))} to {number(max(rounds))}" if len(rounds) > 1 else ""


@dataclass(slots=True)
class Section:
    """One measurement. `how`: what was done; `rows`: a table below `headings`."""

    title: str
    how: str
    figures: list[Figure] = field(default_factory=list)
    headings: Row = ()
    rows: list[Row] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        tables = (self.headings, self.rows), (HEADINGS, [figure.cells for figure in self.figures])
        told = [_table(headings, rows) for headings, rows in tables if rows]
        remarks = "\n".join(f"- {remark}" for remark in self.remarks)
        return "\n\n".join([f"## {self.title}", self.how, *told, *([remarks] if remarks else [])])

    @property
    def missed(self) -> list[str]:
        return [f"{self.title}: {figure.name}" for figure in self.figures if figure.missed]


def save(name: str, sections: Sequence[Section], about: Mapping[str, str]) -> Path:
    """Write `name`.md to RESULTS, in place of an earlier one."""
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{name}.md"
    head = f"# {name}, {datetime.now():%Y-%m-%d %H:%M}\n\n{listed(about)}"
    file.write_text("\n\n".join([head, *map(str, sections)]) + "\n")
    return file


def listed(about: Mapping[str, str]) -> str:
    return "\n".join(f"- {name}: {value}" for name, value in about.items())


def number(value: float) -> str:
    """A number with three significant figures, or all digits of a whole part."""
    if value == 0 or float(value).is_integer() or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _table(headings: Row, rows: Sequence[Row]) -> str:
    """A Markdown table; all columns but the first and the last are aligned to the right."""
    widths = [max(3, *map(len, column)) for column in zip(headings, *rows, strict=True)]
    last = len(widths) - 1
    aligned = ["<", *">" * (last - 1), "<"]
    rule = [
        f"{'-' * (width - 1)}{'-' if way == '<' else ':'}" for way, width in zip(aligned, widths, strict=True)
    ]
    return "\n".join(
        f"| {' | '.join(f'{cell:{way}{width}}' for cell, way, width in zip(row, aligned, widths, strict=True))} |"
        for row in (headings, rule, *rows)
    )
