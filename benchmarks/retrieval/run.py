"""One run: a database, every measurement, and the whole kept."""

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from benchmarks.figures import Run, Section
from benchmarks.machine import describe_machine
from benchmarks.report import save, show_section
from benchmarks.retrieval import speed, tenants
from benchmarks.retrieval.scale import LONG, SHORT, Scale
from config.embedded_postgres import start_if_used, stop

RESULTS = Path(__file__).parent.parent / "results"
MEASURES: dict[str, Callable[[Scale], Section]] = {
    "tenants": tenants.measure,
    "speed": speed.measure,
}


def run(*, long: bool, only: Sequence[str] | None, save_it: bool) -> None:
    """Raises SystemExit for an unknown measurement. A missed goal is shown, and is no failure: machines differ."""
    unknown = set(only or ()) - set(MEASURES)
    if unknown:
        raise SystemExit(f"No measurement {', '.join(sorted(unknown))}; known: {', '.join(MEASURES)}.")
    console = Console(width=None if os.isatty(1) else 130)
    sections: list[Section] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    start_if_used()
    try:
        call_command("migrate", verbosity=0)
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("")
            for name in [name for name in MEASURES if not only or name in only]:
                progress.update(task, description=f"measuring {name}")
                sections.append(MEASURES[name](LONG if long else SHORT))
                show_section(sections[-1], console)
        result = Run(f"retrieval-{datetime.now():%Y-%m-%d %H:%M}", describe_machine(), sections)
    finally:
        connections.close_all()
        if settings.EMBEDDED_POSTGRES_DIR:
            stop(settings.EMBEDDED_POSTGRES_DIR)
    if save_it:
        files = save(result, RESULTS)
        console.print(f"Written to benchmarks/results: {', '.join(file.name for file in files)}.")
    missed = [f"{section.name}: {figure.name}" for section in sections for figure in section.missed()]
    console.print("Missed: " + "; ".join(missed) if missed else "Every goal is met.")
