"""What a run found: on the screen, as Markdown with plots, as JSON."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.peers.findings import Finding, Goal, Line
from benchmarks.peers.plots import draw
from benchmarks.timing import Spread

OURS = "rapport"


@dataclass
class Report:
    """`about`: of each system its title, version and settings. `minutes`: that each measure took."""

    date: str
    command: str
    rounds: int
    machine: dict[str, str]
    about: dict[str, dict[str, str]]
    missing: dict[str, str]
    findings: list[Finding] = field(default_factory=list)
    minutes: dict[str, float] = field(default_factory=dict)


def introduce(report: Report, console: Console) -> None:
    """Who is measured, in which version and with which settings, before the first measure."""
    for name, value in {"command": report.command, **report.machine}.items():
        console.print(f"{name}: {value}", highlight=False)
    for about in report.about.values():
        named = "; ".join(f"{name}: {value}" for name, value in about.items() if name)
        console.print(f"{about['']}: {named}", highlight=False)
    for title, why in report.missing.items():
        console.print(f"not there: {title}, {why}", highlight=False)


def show(finding: Finding, console: Console) -> None:
    systems = systems_of(finding)
    table = Table(title=finding.title, title_justify="left")
    for heading in headings(systems):
        table.add_column(heading, justify="left" if heading in ("", "best") else "right")
    for line in finding.lines:
        table.add_row(*cells(line, systems, ranges=False))
    console.print(table)
    for goal in finding.goals:
        console.print(f"  {told(goal)}", highlight=False)


def save(report: Report, folder: Path) -> None:
    """Write all of it anew; what is there of an earlier measure is the same again."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(json.dumps(asdict(report), indent=1))
    pictures = {finding.name: draw(finding, folder) for finding in report.findings}
    (folder / "report.md").write_text(as_markdown(report, pictures))


def as_markdown(report: Report, pictures: dict[str, list[str]]) -> str:
    """`pictures`: the file names by measure, PNG first."""
    lines = [f"# Beside the peers, {report.date} UTC", "", *goals_first(report), "", "## What ran", ""]
    lines += [f"- command: `{report.command}`", f"- interleaved rounds: {report.rounds}"]
    lines += [f"- {name}: {value}" for name, value in report.machine.items()]
    for about in report.about.values():
        named = {name: value for name, value in about.items() if name}
        lines += ["", f"**{about['']}**", "", *(f"- {name}: {value}" for name, value in named.items())]
    lines += [f"- not there: {title}, {why}" for title, why in report.missing.items()]
    for finding in report.findings:
        lines += ["", f"## {finding.title}", "", finding.how, ""]
        lines += [*table_of(finding), ""]
        lines += [f"- goal: {told(goal)}" for goal in finding.goals]
        if finding.remarks:
            lines += ["", *(f"- {remark}" for remark in finding.remarks)]
        files = pictures.get(finding.name, [])
        lines += [f"\n![{finding.title}]({file})" for file in files if file.endswith(".png")]
        lines += [f"\nThe same as [SVG]({file})." for file in files if file.endswith(".svg")]
        again = f"python -m benchmarks.peers --only {finding.name}"
        lines += ["", f"By itself: `{again}` ({report.minutes.get(finding.name, 0):.1f} minutes)."]
    return "\n".join([*lines, ""])


def goals_first(report: Report) -> list[str]:
    """Every goal, and where Rapport is behind, before anything else."""
    goals = [f"- {told(goal)}" for finding in report.findings for goal in finding.goals]
    behind = [f"- {text}" for finding in report.findings for text in behind_in(finding)]
    lines = ["## Goals", "", *(goals or ["None was measured."])]
    return [
        *lines,
        "",
        "## Where another is ahead of Rapport",
        "",
        *(behind or ["Nowhere in what was measured."]),
    ]


def behind_in(finding: Finding) -> list[str]:
    """A sentence for each line in which somebody other than Rapport has a better median."""
    told = []
    for line in finding.lines:
        ours = line.spread_of(OURS)
        if ours is None or line.better is None:
            continue
        others = [name for name in line.values if not name.startswith(OURS)]
        ahead = [
            f"{name} {number(found.middle)}"
            for name in others
            if (found := line.spread_of(name)) and _better(found.middle, ours.middle, line)
        ]
        if ahead:
            said = f" {line.unit}" if line.unit else ""
            told.append(
                f"{finding.title}, {line.name}{', in' + said if said else ''}: {', '.join(ahead)}; "
                f"{OURS} {number(ours.middle)}{'. ' + line.why if line.why else ''}"
            )
    return told


def _better(one: float, other: float, line: Line) -> bool:
    return one < other if line.better == "less" else one > other


def table_of(finding: Finding) -> list[str]:
    """Medians with the range of the rounds; who is best; theirs in terms of ours, pair by pair."""
    systems = systems_of(finding)
    if not finding.lines:
        return []
    rows = [headings(systems), ["---", *("---:" for _ in systems), "---"]]
    rows += [cells(line, systems, ranges=True) for line in finding.lines]
    return [_row(row) for row in rows] + _ratios(finding, [name for name in systems if name != OURS])


def _ratios(finding: Finding, others: list[str]) -> list[str]:
    lines = [line for line in finding.lines if any(line.ratio(other, OURS) for other in others)]
    if not lines:
        return []
    rows = [[f"x {OURS}, pair by pair", *others], ["---", *("---:" for _ in others)]]
    rows += [[line.name, *(_between(line.ratio(other, OURS)) for other in others)] for line in lines]
    return ["", *(_row(row) for row in rows)]


def headings(systems: list[str]) -> list[str]:
    return ["", *systems, "best"]


def cells(line: Line, systems: list[str], *, ranges: bool) -> list[str]:
    name = f"{line.name} ({line.unit})" if line.unit else line.name
    winners = line.winners()
    best = "all the same" if len(winners) > 1 and len(winners) == len(line.values) else ", ".join(winners)
    return [name, *(_cell(line, system, ranges=ranges) for system in systems), best]


def _cell(line: Line, system: str, *, ranges: bool) -> str:
    rounds = line.values.get(system)
    if rounds is None or isinstance(rounds, str):
        return rounds or "-"
    found = line.spread_of(system)
    return "-" if found is None else _between(found) if ranges else number(found.middle)


def systems_of(finding: Finding) -> list[str]:
    """In the order in which they first answer."""
    return list(dict.fromkeys(name for line in finding.lines for name in line.values))


def told(goal: Goal) -> str:
    wanted = f"{'at most' if goal.at_most else 'at least'} {number(goal.bound)}"
    if goal.value is None:
        return f"{goal.name}: not measured (wanted {wanted})"
    verdict = "met" if goal.met else "MISSED"
    return f"{goal.name}: {number(goal.value)}{' ' + goal.unit if goal.unit else ''} (wanted {wanted}): {verdict}"


def number(value: float) -> str:
    """Three figures that say something, and no more."""
    if value == 0 or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _between(found: Spread | None) -> str:
    if found is None:
        return "-"
    low, middle, high = number(found.low), number(found.middle), number(found.high)
    return middle if low == high else f"{middle} ({low} to {high})"


def _row(row: Iterable[str]) -> str:
    return f"| {' | '.join(row)} |"
