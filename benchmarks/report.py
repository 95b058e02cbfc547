"""What a run says, and how it is shown: sections of figures and tables, on the screen and as Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.timing import Spread, spread

RESULTS = Path(__file__).parent / "results"
HEADINGS = ("figure", "value", "range of rounds", "goal", "")
_COLOURS = {"met": "green", "MISSED": "bold red"}


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound from the issue or the design; `at_most` False: at least."""

    bound: float
    at_most: bool = True

    def met_by(self, value: float) -> bool:
        return value <= self.bound if self.at_most else value >= self.bound

    def __str__(self) -> str:
        return f"{'at most' if self.at_most else 'at least'} {number(self.bound)}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number; None where it could not be measured. `spread`: of rounds, where there were several."""

    name: str
    value: float | None
    unit: str = ""
    spread: Spread | None = None
    goal: Goal | None = None

    @property
    def met(self) -> bool | None:
        """None: there is no goal, or no value."""
        return None if self.goal is None or self.value is None else self.goal.met_by(self.value)

    @property
    def cells(self) -> tuple[str, ...]:
        """Below HEADINGS."""
        value = "not measured" if self.value is None else f"{number(self.value)} {self.unit}".strip()
        between = f"{number(self.spread.low)} to {number(self.spread.high)}" if self.spread else ""
        mark = {True: "met", False: "MISSED", None: ""}[self.met]
        return self.name, value, between, str(self.goal or ""), mark


def of_rounds(name: str, rounds: Sequence[float], unit: str = "", goal: Goal | None = None) -> Figure:
    """The figure of several rounds: their median."""
    found = spread(rounds)
    return Figure(name, found.middle, unit, found, goal)


@dataclass(slots=True)
class Section:
    """One measurement. `how`: what was done, in a sentence or two; `rows`: a table below `headings`."""

    name: str
    title: str
    how: str
    figures: list[Figure] = field(default_factory=list)
    headings: Sequence[str] = ()
    rows: list[Sequence[str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def missed(self) -> list[str]:
        return [f"{self.name}: {figure.name}" for figure in self.figures if figure.met is False]

    @property
    def tables(self) -> list[tuple[Sequence[str], list[Sequence[str]]]]:
        """Headings and rows; what was measured of each, then the figures."""
        told: list[tuple[Sequence[str], list[Sequence[str]]]] = [
            (self.headings, self.rows),
            (HEADINGS, [figure.cells for figure in self.figures]),
        ]
        return [(headings, rows) for headings, rows in told if rows]


def show(section: Section, console: Console) -> None:
    console.print(f"[bold]{section.title}[/]\n[italic]{section.how}[/]", highlight=False)
    for headings, rows in section.tables:
        table = Table()
        for place, heading in enumerate(headings):
            table.add_column(heading, justify="right" if 0 < place < len(headings) - 1 else "left")
        for row in rows:
            table.add_row(*(f"[{_COLOURS[cell]}]{cell}[/]" if cell in _COLOURS else cell for cell in row))
        console.print(table)
    console.print(*(f"- {remark}" for remark in section.remarks), "", sep="\n", highlight=False)


def save(name: str, sections: Sequence[Section], about: Mapping[str, str]) -> Path:
    """Write `name`.md into RESULTS, in place of that of the run before."""
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{name}.md"
    file.write_text(as_markdown(f"{name}, {datetime.now():%Y-%m-%d %H:%M}", sections, about))
    return file


def as_markdown(title: str, sections: Sequence[Section], about: Mapping[str, str]) -> str:
    lines = [f"# {title}", "", *(f"- {name}: {value}" for name, value in about.items())]
    for section in sections:
        lines += ["", f"## {section.title}", "", section.how]
        for headings, rows in section.tables:
            rule = ["---", *["---:"] * (len(headings) - 2), "---"]
            lines += ["", *(f"| {' | '.join(row)} |" for row in [headings, rule, *rows])]
        if section.remarks:
            lines += ["", *(f"- {remark}" for remark in section.remarks)]
    return "\n".join([*lines, ""])


def missed_of(sections: Iterable[Section]) -> str:
    """A sentence; "" if nothing was missed."""
    missed = [what for section in sections for what in section.missed()]
    return f"Missed: {'; '.join(missed)}" if missed else ""


def number(value: float) -> str:
    """Three figures that say something, and no more."""
    if value == 0 or float(value).is_integer() or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
