"""Shows what a run found: on the screen, as Markdown, as JSON."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.figures import Figure, Run, Section

HEADINGS = ("figure", "value", "range of rounds", "goal", "")
_MARKS = {True: "met", False: "MISSED", None: ""}
_COLOURS = {"met": "green", "MISSED": "bold red", "": ""}


def show_section(section: Section, console: Console) -> None:
    table = Table(title=section.title, title_justify="left", caption=section.how, caption_justify="left")
    for place, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="right" if place in (1, 2, 3) else "left")
    for figure in section.figures:
        *cells, mark = row_of(figure)
        table.add_row(*cells, f"[{_COLOURS[mark]}]{mark}[/]" if mark else "")
    console.print(table, "")


def as_markdown(run: Run) -> str:
    lines = [f"# Figures of {run.date}", "", *(f"- {name}: {value}" for name, value in run.machine.items())]
    for section in run.sections:
        lines += ["", f"## {section.title}", "", section.how, ""]
        lines += [_line(HEADINGS), _line(["---", "---:", "---:", "---:", "---"])]
        lines += [_line(row_of(figure)) for figure in section.figures]
    return "\n".join([*lines, ""])


def as_json(run: Run) -> str:
    """All of it, with `met` beside each goal."""
    told = asdict(run)
    for section, shown in zip(run.sections, told["sections"], strict=True):
        for figure, line in zip(section.figures, shown["figures"], strict=True):
            line["met"] = figure.met
    return json.dumps(told, indent=1)


def save(run: Run, folder: Path) -> list[Path]:
    """Write both forms, named by the date; where they are."""
    folder.mkdir(exist_ok=True)
    stem = run.date.replace(":", "").replace(" ", "-")
    files = {folder / f"{stem}.md": as_markdown(run), folder / f"{stem}.json": as_json(run)}
    for file, text in files.items():
        file.write_text(text)
    return list(files)


def row_of(figure: Figure) -> tuple[str, str, str, str, str]:
    """The cells below HEADINGS."""
    unit = f" {figure.unit}" if figure.unit else ""
    spread = figure.spread
    between = f"{_number(spread.low)} to {_number(spread.high)}" if spread else ""
    goal = figure.goal
    wanted = f"{'at most' if goal.at_most else 'at least'} {_number(goal.bound)}" if goal else ""
    return figure.name, f"{_number(figure.value)}{unit}", between, wanted, _MARKS[figure.met]


def _number(value: float) -> str:
    """Three figures that say something, and no more."""
    if value == 0 or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
