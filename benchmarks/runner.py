"""What all commands share: settings, an empty embedded database, and measuring one thing after the other."""

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


def say(what: str) -> None:
    """Tell on standard error what is being done."""
    print(what, file=sys.stderr, flush=True)


@contextmanager
def own_settings(place: Path | None = None, **environment: str) -> Iterator[Path]:
    """Set up Django on a temporary data folder below `place`, and yield the folder.

    The settings are environment variables, which precede those of a checkout's .env.
    """
    signal.signal(
        signal.SIGTERM, lambda number, _: sys.exit(128 + number)
    )  # so that everything started is ended
    with tempfile.TemporaryDirectory(prefix="rapport-bench-", dir=place) as folder:
        Path(folder).chmod(0o711)  # the database's account has to pass through
        os.environ |= {
            "RAPPORT_DATA_DIR": folder,
            "DATABASE_URL": "",
            "RAPPORT_PROCESS": "command",
            "RAPPORT_LLM_PROVIDER": "offline",
            "RAPPORT_LOG_LEVEL": "WARNING",
            "RAPPORT_WORKERS": "2",  # the defaults, whatever the shell says
            "RAPPORT_READERS": "64",
            "DJANGO_SETTINGS_MODULE": "benchmarks.settings",
            **environment,
        }
        import django

        django.setup()
        yield Path(folder)


@contextmanager
def fresh_database(*, connections: int | None = None) -> Iterator[None]:
    """Start the embedded server with an empty, migrated database. Stop it at the end. `connections`: its most."""
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
    """Those of `measures` with these names, or all, in their order. Raises SystemExit for an unknown name."""
    unknown = set(names or ()) - set(measures)
    if unknown:
        raise SystemExit(f"No measurement {', '.join(sorted(unknown))}; known: {', '.join(measures)}.")
    return [name for name in measures if not names or name in names]


def measure(name: str, measures: Mapping[str, Measure], *, keep: bool, **about: str) -> bool:
    """Make and print each measurement, and write the report if `keep`. Return whether every goal was met.

    `about`: what the report says in addition to the machine.
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
