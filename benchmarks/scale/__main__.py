"""`make bench-scale`: 100, 10,000 and 1,000,000 relationships on one machine: contexts, searches, room on the disk.

Each number has a database and a service of its own, side by side. They are thrown away at the end, unless --keep or
--reuse says otherwise.
"""

import argparse
import os
import shutil
import tempfile
from pathlib import Path

SIZES = (100, 10_000, 1_000_000)
GB = 2**30


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--relationships", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=300, help="of each sort, in each round")
    parser.add_argument("--gigabytes", type=float, default=40, help="of disk, at most (40)")
    parser.add_argument(
        "--folder", type=Path, help="where the databases are; must be new, or one that was kept"
    )
    parser.add_argument("--keep", action="store_true", help="leave the databases in --folder")
    parser.add_argument(
        "--reuse", action="store_true", help="measure what was kept there; what is missing is seeded"
    )
    parser.add_argument("--seed-only", action="store_true", help="measure nothing; with --keep")
    parser.add_argument("--no-save", action="store_true", help="write nothing into benchmarks/results")
    options = parser.parse_args()
    if (options.keep or options.reuse) and options.folder is None:
        parser.error("--keep and --reuse need --folder")
    folder = options.folder or Path(tempfile.mkdtemp(prefix="rapport-scale-"))
    if not options.reuse and folder.exists() and any(folder.iterdir()):
        parser.error(f"{folder} is not empty; --reuse measures what is there")
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o711)  # the database's account has to pass through
    os.environ |= {
        "RAPPORT_DATA_DIR": str(folder),
        "DATABASE_URL": "",
        "RAPPORT_PROCESS": "command",
        "RAPPORT_LLM_PROVIDER": "offline",
        "RAPPORT_LOG_LEVEL": "WARNING",
        "DJANGO_SETTINGS_MODULE": "benchmarks.settings",
    }
    import django

    django.setup()
    from benchmarks.scale.run import run

    try:
        run(
            options.relationships,
            folder,
            rounds=options.rounds,
            calls=options.calls,
            bound=options.gigabytes * GB,
            seed_only=options.seed_only,
            save_it=not options.no_save,
        )
    finally:
        if not (options.keep or options.reuse):
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
