"""`make bench-recall`: evidence recall on LoCoMo and update candidates on HaluMem, with every step of the gain.

The sets are not part of Rapport. RAPPORT_DATA names the folder that holds `locomo/*.json` and `halumem/*.jsonl`.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

DEFAULT_DATA = "../shared/data"
RESULTS = Path(__file__).parent.parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument("--no-model", action="store_true", help="measure text alone")
    parser.add_argument("--no-save", action="store_true", help="write nothing into benchmarks/results")
    options = parser.parse_args()
    data = Path(os.environ.get("RAPPORT_DATA") or DEFAULT_DATA)
    if not any(data.glob("locomo/*.json")) and not any(data.glob("halumem/*.jsonl")):
        print(f"There is no data in {data}, so nothing was measured. RAPPORT_DATA names its folder.")
        return
    with tempfile.TemporaryDirectory(prefix="rapport-recall-") as folder:
        Path(folder).chmod(0o711)  # the database's account has to pass through
        os.environ |= {
            "RAPPORT_DATA_DIR": folder,
            "DATABASE_URL": "",
            "RAPPORT_PROCESS": "command",
            "RAPPORT_LLM_PROVIDER": "offline",
            "RAPPORT_LOG_LEVEL": "WARNING",
            "DJANGO_SETTINGS_MODULE": "benchmarks.settings",
        }
        embedder = None if options.no_model else _local_model()
        import django

        django.setup()
        _run(data, embedder, save_it=not options.no_save)


def _local_model() -> str | None:
    """The alias of MiniLM; None where its weights are not installed.

    In a process of its own, since the settings that are to name the model's folder must not be read before.
    """
    made = subprocess.run(
        [sys.executable, "-m", "benchmarks.minilm"], capture_output=True, text=True, check=False
    )
    if made.returncode:
        print(f"MiniLM is not there, so text alone is measured. {made.stderr.strip()}", file=sys.stderr)
        return None
    os.environ["RAPPORT_LOCAL_EMBEDDING_MODEL"] = made.stdout.strip().splitlines()[-1]
    return "local"


def _run(data: Path, embedder: str | None, *, save_it: bool) -> None:
    from rich.console import Console
    from rich.progress import Progress

    from benchmarks.recall.run import measure
    from benchmarks.recall.tables import as_markdown, show

    console = Console(width=None if os.isatty(1) else 130)
    tables = []
    with _database(), Progress(console=console, transient=True) as progress:
        for table in measure(data, embedder=embedder, progress=progress):
            show(table, console)
            tables.append(table)
    if save_it:
        RESULTS.mkdir(exist_ok=True)
        file = RESULTS / f"recall-{datetime.now():%Y-%m-%d-%H%M}.md"
        file.write_text(f"# Recall, {datetime.now():%Y-%m-%d %H:%M}\n\n{as_markdown(tables)}")
        console.print(f"Written to benchmarks/results/{file.name}.")


@contextmanager
def _database() -> Iterator[None]:
    """A migrated one with nothing in it, stopped at the end."""
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connections

    from config.embedded_postgres import start_if_used, stop

    start_if_used()
    call_command("migrate", verbosity=0)
    try:
        yield
    finally:
        connections.close_all()
        if settings.EMBEDDED_POSTGRES_DIR:
            stop(settings.EMBEDDED_POSTGRES_DIR)


if __name__ == "__main__":
    main()
