"""`make bench`: measure everything, show it beside its goals, and keep it in benchmarks/results."""

import argparse
import os
import tempfile
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--long", action="store_true", help="more and longer rounds: about 15 minutes")
    parser.add_argument(
        "--only", metavar="NAME", action="append", help="this measurement only; may be repeated"
    )
    parser.add_argument("--no-save", action="store_true", help="write nothing into benchmarks/results")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rapport-bench-") as folder:
        Path(folder).chmod(0o711)  # the database's account has to pass through
        # What the environment says goes before a checkout's .env: nothing but the sample may be measured.
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
        from benchmarks.run import run

        run(long=options.long, only=options.only, save_it=not options.no_save)


if __name__ == "__main__":
    main()
