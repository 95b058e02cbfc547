"""How every command runs: settings of its own, a fresh embedded database, each measurement shown as it comes."""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from benchmarks.report import Section

Measure = Callable[[], "Section | Sequence[Section]"]


def parser(module: str, doc: str | None, *, only: bool = True) -> argparse.ArgumentParser:
    """`only`: with the option to pick measurements. A run of a part never writes anything."""
    made = argparse.ArgumentParser(prog=f"python -m {module}", description=doc)
    if only:
        told = "this measurement only, and write nothing; may be repeated"
        made.add_argument("--only", metavar="NAME", action="append", help=told)
    made.add_argument("--no-save", action="store_true", help="write nothing into benchmarks/results")
    return made


@contextmanager
def own_settings(place: Path | None = None, **environment: str) -> Iterator[Path]:
    """Django is set up on a data folder of its own, which is gone at the end. `place`: below which it lies.

    What the environment says goes before a checkout's .env: nothing but what is seeded may be measured.
    """
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # what was started is ended
    with tempfile.TemporaryDirectory(prefix="rapport-bench-", dir=place) as folder:
        Path(folder).chmod(0o711)  # the database's account has to pass through
        os.environ |= {
            "RAPPORT_DATA_DIR": folder,
            "DATABASE_URL": "",
            "RAPPORT_PROCESS": "command",
            "RAPPORT_LLM_PROVIDER": "offline",
            "RAPPORT_LOG_LEVEL": "WARNING",
            "DJANGO_SETTINGS_MODULE": "benchmarks.settings",
            **environment,
        }
        import django

        django.setup()
        yield Path(folder)


@contextmanager
def fresh_database(*, connections: int | None = None) -> Iterator[None]:
    """The embedded server, and a migrated database with nothing in it. Stopped at the end.

    `connections`: have room for so many.
    """
    from django.core.management import call_command
    from django.db import connection
    from django.db import connections as ours

    from benchmarks.service import data_folder
    from config.embedded_postgres import start_if_used, stop

    start_if_used()
    try:
        if connections is not None:
            with connection.cursor() as cursor:
                cursor.execute(f"ALTER SYSTEM SET max_connections = {connections:d}")
            ours.close_all()
            stop(data_folder())
            start_if_used()
        call_command("migrate", verbosity=0)
        yield
    finally:
        ours.close_all()
        stop(data_folder())


def console() -> "Console":
    from rich.console import Console

    return Console(width=None if os.isatty(1) else 130)


@contextmanager
def progress(shown_on: "Console") -> Iterator[Callable[[str], None]]:
    """Says what is being done, where a terminal shows it; a line a step where none does."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=shown_on, transient=True) as shown:
        task = shown.add_task("")

        def say(what: str) -> None:
            shown.update(task, description=what)
            if not shown_on.is_terminal:
                shown_on.print(what, highlight=False)

        yield say


def known(names: Sequence[str] | None, measures: Mapping[str, Any]) -> list[str]:
    """The measurements to make, in their order. Raises SystemExit for an unknown one."""
    unknown = set(names or ()) - set(measures)
    if unknown:
        raise SystemExit(f"No measurement {', '.join(sorted(unknown))}; known: {', '.join(measures)}.")
    return [name for name in measures if not names or name in names]


def measure(measures: Mapping[str, Measure], say: Callable[[str], None], on: "Console") -> "list[Section]":
    """Each in its turn, shown as it comes."""
    from benchmarks.report import show

    sections = []
    for name, make in measures.items():
        say(f"measuring {name}")
        made = make()
        for section in made if isinstance(made, Sequence) else [made]:
            sections.append(section)
            show(section, on)
    return sections


def conclude(name: str, sections: "Sequence[Section]", about: Mapping[str, str], *, keep: bool) -> str:
    """Write it down with `keep`, and say what was missed; "" if nothing. That is no failure: machines differ."""
    from benchmarks.report import missed_of, save

    if keep:
        print(f"Written to benchmarks/results: {save(name, sections, about).name}.")
    missed = missed_of(sections)
    print(missed or "Every goal that was measured is met.")
    return missed
