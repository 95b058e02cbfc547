"""`make soak`: the whole service at a steady rate for 20 minutes; then every invariant is checked.

Turns, contexts, searches, edits, profiles, sessions, and people who are erased, against a model that answers at once.
The database is its own, and is thrown away.
"""

import argparse
import os
import tempfile
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--rate", type=float, default=20, help="actions a second")
    parser.add_argument("--people", type=int, default=150, help="who are there at any time")
    parser.add_argument("--no-save", action="store_true", help="write nothing into benchmarks/results")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rapport-soak-") as folder:
        Path(folder).chmod(0o711)  # the database's account has to pass through
        os.environ |= {
            "RAPPORT_DATA_DIR": folder,
            "DATABASE_URL": "",
            "RAPPORT_PROCESS": "command",
            "RAPPORT_LLM_PROVIDER": "offline",
            "RAPPORT_WORKERS": "2",  # a model that answers at once is worth no more readers than cores
            "RAPPORT_LOG_LEVEL": "WARNING",
            "DJANGO_SETTINGS_MODULE": "benchmarks.settings",
        }
        import django

        django.setup()
        from benchmarks.soak.run import run

        run(minutes=options.minutes, rate=options.rate, people=options.people, save_it=not options.no_save)


if __name__ == "__main__":
    main()
