"""One run: what is installed is found out, each measure made, shown and saved as it comes."""

import os
import platform
import time
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as values
from datetime import UTC, datetime

import psutil
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from benchmarks.peers.environment import libraries
from benchmarks.peers.field import FULL, QUICK, Field
from benchmarks.peers.findings import Finding
from benchmarks.peers.measures import MEASURES
from benchmarks.peers.places import RESULTS
from benchmarks.peers.report import Report, introduce, save, show
from benchmarks.peers.setting import CONNECTIONS, setting
from benchmarks.peers.systems import SYSTEMS
from benchmarks.peers.systems.base import NotThere, System
from benchmarks.peers.systems.databases import server_settings, server_version
from benchmarks.processor import processor


@dataclass
class Progressing:
    """What is being done, where a terminal shows it; a line a step where none does."""

    progress: Progress
    console: Console
    _said: str = ""
    _task: int | None = values(default=None)

    def say(self, what: str) -> None:
        if self.console.is_terminal:
            if self._task is None:
                self._task = self.progress.add_task(what)
            self.progress.update(self._task, description=what)  # type: ignore[arg-type]
        elif what != self._said:
            self.console.print(f"{datetime.now():%H:%M:%S} {what}", highlight=False)
        self._said = what


def run(
    *,
    quick: bool,
    rounds: int | None,
    only: Sequence[str] | None,
    systems: Sequence[str] | None,
    save_it: bool,
    command: str,
) -> None:
    """Raises SystemExit for an unknown name. A missed goal and a missing peer are shown, and are no failures."""
    _require_known(only, MEASURES, "measure")
    _require_known(systems, [system.name for system in SYSTEMS], "system")
    console = Console(width=None if os.isatty(1) else 130)
    scale = QUICK if quick else FULL
    scale = replace(scale, rounds=rounds) if rounds else scale
    here, missing = _installed([system for system in SYSTEMS if not systems or system.name in systems])
    began = datetime.now(UTC)
    report = Report(f"{began:%Y-%m-%d %H:%M}", command, scale.rounds, _machine(), _about(here), missing)
    folder = RESULTS / f"peers-{began:%Y-%m-%d-%H%M}"
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        say = Progressing(progress, console).say
        say("starting the database and the model server")
        with setting() as (house, model):
            report.machine["PostgreSQL"] = (
                f"{server_version(house)}, embedded, one server for all, max_connections {CONNECTIONS}"
            )
            report.machine["PostgreSQL's settings, where not the default"] = server_settings(house)
            report.machine["libraries"] = libraries()
            report.machine["prompt tokens"] = f"counted by {model.tokenizer()}"
            report.machine["embedder"] = (
                f"words and their trigrams, hashed, {house.dimensions} dimensions, for all"
            )
            introduce(report, console)
            field = Field(house, model, list(here), missing, scale, say)
            for name in MEASURES:
                if only and name not in only:
                    continue
                report.findings.append(_measured(name, field, report))
                show(report.findings[-1], console)
                if save_it:
                    save(report, folder)
    if save_it:
        console.print(f"Written to {folder.relative_to(RESULTS.parent.parent)}.")


def _measured(name: str, field: Field, report: Report) -> Finding:
    """A measure that fails says so in its place; the others are still made."""
    began = time.monotonic()
    try:
        found = MEASURES[name](field)
    except Exception as problem:
        traceback.print_exc()
        found = Finding(
            name, name.capitalize(), f"It could not be measured: {type(problem).__name__}: {problem}"
        )
    finally:
        field.model.slow_down(0)
        field.model.spoil(0)
    report.minutes[name] = (time.monotonic() - began) / 60
    return found


def _installed(wanted: Sequence[type[System]]) -> tuple[list[type[System]], dict[str, str]]:
    here, missing = [], {}
    for system in wanted:
        try:
            system().version()
        except NotThere as reason:
            missing[system.title] = str(reason)
        else:
            here.append(system)
    return here, missing


def _about(systems: Sequence[type[System]]) -> dict[str, dict[str, str]]:
    return {
        system.name: {"": system.title, "version": system().version(), **system().settings()}
        for system in systems
    }


def _machine() -> dict[str, str]:
    return {
        "cores": str(os.cpu_count()),
        "processor": processor(),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GB",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "load average at the beginning": " ".join(f"{load:.2f}" for load in os.getloadavg()),
    }


def _require_known(names: Sequence[str] | None, known: Iterable[str], what: str) -> None:
    unknown = set(names or ()) - set(known)
    if unknown:
        raise SystemExit(f"No {what} {', '.join(sorted(unknown))}; known: {', '.join(known)}.")
