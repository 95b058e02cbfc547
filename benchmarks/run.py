"""One run: the service is started, every measurement made and shown, and the whole kept."""

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from benchmarks.figures import Run, Section
from benchmarks.house import instant_model, open_house
from benchmarks.machine import describe_machine
from benchmarks.measures import MEASURES
from benchmarks.report import save, show_section
from benchmarks.scene import LONG, QUICK, set_scene

RESULTS = Path(__file__).parent / "results"


def run(*, long: bool, only: Sequence[str] | None, save_it: bool) -> None:
    """Raises SystemExit for an unknown measurement. A missed goal is shown, and is no failure: machines differ."""
    unknown = set(only or ()) - set(MEASURES)
    if unknown:
        raise SystemExit(f"No measurement {', '.join(sorted(unknown))}; known: {', '.join(MEASURES)}.")
    console = Console(width=None if os.isatty(1) else 130)
    names = [name for name in MEASURES if not only or name in only]
    result = _measure(names, long=long, console=console)
    missed = [f"{section.name}: {figure.name}" for section in result.sections for figure in section.missed()]
    if save_it:
        files = save(result, RESULTS)
        console.print(f"Written to benchmarks/results: {', '.join(file.name for file in files)}.")
    console.print("Missed: " + "; ".join(missed) if missed else "Every goal is met.")


def _measure(names: Sequence[str], *, long: bool, console: Console) -> Run:
    sections: list[Section] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("starting the database and the service")
        with instant_model() as model_url:
            os.environ["BENCH_MODEL_URL"] = model_url
            with open_house() as house:
                scene = set_scene(house, LONG if long else QUICK)
                for name in names:
                    progress.update(task, description=f"measuring {name}")
                    sections.append(MEASURES[name](scene))
                    show_section(sections[-1], console)
                machine = describe_machine()
    return Run(f"{datetime.now():%Y-%m-%d %H:%M}", machine, sections)
