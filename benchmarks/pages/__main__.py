"""`make bench-pages`: how long the server takes for each page of the admin UI, over a project that has grown large.

All rows are drawn by SQL in a database of its own, which is thrown away.
"""

import argparse
import os
import tempfile
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    parser.add_argument("--relationships", type=int, default=10_000)
    parser.add_argument("--messages", type=int, default=1_000_000, help="of all relationships together")
    parser.add_argument("--entries-of-one", type=int, default=5_000, help="of the one large relationship")
    parser.add_argument("--calls", type=int, default=30, help="of each page")
    parser.add_argument(
        "--only", metavar="WORD", default="", help="the pages whose name has this word; writes nothing"
    )
    parser.add_argument("--no-save", action="store_true", help="write nothing into benchmarks/results")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rapport-pages-") as folder:
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
        from benchmarks.pages.run import run
        from benchmarks.pages.seed import Size

        size = Size(options.relationships, options.messages, options.entries_of_one)
        save_it = not (options.no_save or options.only)
        run(size, calls=options.calls, only=options.only, save_it=save_it)


if __name__ == "__main__":
    main()
