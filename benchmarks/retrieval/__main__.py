"""`make bench-retrieval`: recall for every tenant, and speed by size.

All data is drawn from a seed; a database of its own is made and thrown away.
"""

import argparse
import os
import tempfile
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.add_argument("--long", action="store_true", help="in full: 5,000 tenants, 50,000 entries")
    parser.add_argument(
        "--only", metavar="NAME", action="append", help="this measurement only; may be repeated"
    )
    parser.add_argument("--no-save", action="store_true", help="write nothing into benchmarks/results")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rapport-retrieval-") as folder:
        Path(folder).chmod(0o711)  # the database's account has to pass through
        os.environ |= {
            "RAPPORT_DATA_DIR": folder,
            "DATABASE_URL": "",
            "RAPPORT_PROCESS": "command",
            "RAPPORT_LLM_PROVIDER": "offline",
            "RAPPORT_LOG_LEVEL": "WARNING",
            "DJANGO_SETTINGS_MODULE": "benchmarks.settings",
        }
        import django

        django.setup()
        from benchmarks.retrieval.run import run

        run(long=options.long, only=options.only, save_it=not options.no_save)


if __name__ == "__main__":
    main()
