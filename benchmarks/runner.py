"""How every command runs: settings of its own, a fresh embedded database, each measurement shown as it comes."""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.report import Section, listed, save
from benchmarks.timing import machine

Measure = Callable[[], Section | list[Section]]


def parser(module: str, doc: str | None, *, only: bool = False) -> argparse.ArgumentParser:
    """`only`: with the option to pick measurements. A run of a part never writes anything."""
    made = argparse.ArgumentParser(prog=f"python -m {module}", description=doc)
    if only:
        told = "this measurement only, and write nothing; may be repeated"
        made.add_argument("--only", metavar="NAME", action="append", help=told)
    made.add_argument("--no-save", action="store_true", help="write nothing into benchmarks/results")
    return made


def say(what: str) -> None:
    """What is being done just now."""
    print(what, file=sys.stderr, flush=True)


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
            "RAPPORT_WORKERS": "2",  # these two as shipped, whatever the shell says
            "RAPPORT_READERS": "64",
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


def known(names: Sequence[str] | None, measures: Mapping[str, Any]) -> list[str]:
    """The measurements to make, in their order. Raises SystemExit for an unknown one."""
    unknown = set(names or ()) - set(measures)
    if unknown:
        raise SystemExit(f"No measurement {', '.join(sorted(unknown))}; known: {', '.join(measures)}.")
    return [name for name in measures if not names or name in names]


def measure(name: str, measures: Mapping[str, Measure], *, keep: bool, **about: str) -> bool:
    """Make each measurement in its turn and show it; write all of it down with `keep`. Whether no goal was missed: that
    is no failure, as machines differ. `about`: what was measured, beside the machine.
    """
    from django.db import connection

    sections: list[Section] = []
    for what, make in measures.items():
        say(f"measuring {what}")
        made = make()
        for section in made if isinstance(made, list) else [made]:
            sections.append(section)
            print(f"\n{section}", flush=True)
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        about = machine() | {"PostgreSQL": cursor.fetchone()[0]} | about
    print(f"\n{listed(about)}\n")
    if keep:
        print(f"Written to benchmarks/results: {save(name, sections, about).name}.")
    missed = [figure for section in sections for figure in section.missed]
    print(f"Missed: {'; '.join(missed)}" if missed else "Every goal that was measured is met.")
    return not missed
