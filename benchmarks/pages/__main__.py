"""`make bench-pages`: how long the server takes for each page of the admin UI of a large project.

The rows are made by SQL in a temporary database.
"""

import argparse

from benchmarks import runner


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    parser.add_argument("--relationships", type=int, default=10_000)
    parser.add_argument("--messages", type=int, default=1_000_000, help="of all relationships together")
    parser.add_argument("--entries-of-one", type=int, default=5_000, help="of the one large relationship")
    parser.add_argument("--calls", type=int, default=30, help="of each page")
    told = "only pages whose name contains this"
    parser.add_argument("--only", metavar="WORD", default="", help=told)
    options = parser.parse_args()
    with runner.own_settings():
        from benchmarks.pages.pages import pages
        from benchmarks.pages.seed import Size

        size = Size(options.relationships, options.messages, options.entries_of_one)
        with runner.fresh_database():
            measures = {"pages": lambda: pages(size, calls=options.calls, only=options.only)}
            runner.measure("pages", measures, keep=options == parser.parse_args([]))


if __name__ == "__main__":
    main()
