"""One run: a database, rows, every page, and the whole kept."""

import os
from datetime import datetime
from pathlib import Path
from time import perf_counter

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from rich.console import Console

from benchmarks.figures import Figure, Run, Section
from benchmarks.machine import describe_machine
from benchmarks.pages import pages, seed
from benchmarks.report import save, show_section
from config.embedded_postgres import start_if_used, stop

RESULTS = Path(__file__).parent.parent / "results"


def run(size: seed.Size, *, calls: int, only: str, save_it: bool) -> None:
    """A missed goal is shown, and is no failure: machines differ."""
    console = Console(width=None if os.isatty(1) else 130)
    start_if_used()
    try:
        call_command("migrate", verbosity=0)
        began = perf_counter()
        seeded = seed.fill(size)
        console.print(f"Seeded in {perf_counter() - began:.0f} s.")
        section = Section(
            "pages",
            "Pages of the admin UI",
            f"{size.relationships:,} relationships with {size.messages:,} messages in {size.messages // 2:,} turns, "
            f"{seed.ENTRIES} entries each, one with {size.entries_of_one:,}; {calls} calls of each page through the "
            "whole of Django, in process. Statements are those of one call, with the sign-in's own two.",
            pages.measure(seeded, calls=calls, only=only),
        )
        show_section(section, console)
        result = Run(f"pages-{datetime.now():%Y-%m-%d %H:%M}", describe_machine(), [section])
    finally:
        connections.close_all()
        if settings.EMBEDDED_POSTGRES_DIR:
            stop(settings.EMBEDDED_POSTGRES_DIR)
    if save_it:
        files = save(result, RESULTS)
        console.print(f"Written to benchmarks/results: {', '.join(file.name for file in files)}.")
    missed: list[Figure] = section.missed()
    console.print(
        "Missed: " + "; ".join(figure.name for figure in missed) if missed else "Every goal is met."
    )
