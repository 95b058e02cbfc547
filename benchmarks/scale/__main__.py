"""`make bench-scale`: measure contexts, searches and disk space with 100, 10,000 and 1,000,000 relationships.

Each number has its own database, which is removed at the end. With CITUS=1, compare plain PostgreSQL
with one, two and four nodes instead.
"""

import argparse
from functools import partial
from pathlib import Path

from benchmarks import runner
from config.embedded_postgres import database_url
from scripts import citus

SIZES, CALLS = (100, 10_000, 1_000_000), 300


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--relationships", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=CALLS, help="of each sort, in each round")
    parser.add_argument("--folder", type=Path, help="below which the databases are; 40 GB for all three")
    told = "what distribution costs, on nodes of this machine"
    parser.add_argument("--citus", action="store_true", help=told)
    options = parser.parse_args()
    if options.citus:
        compare(options)
    else:
        grow(options)


def grow(options: argparse.Namespace) -> None:
    with runner.own_settings(options.folder) as folder:
        from benchmarks.scale.run import measure, require_room

        sizes = sorted(set(options.relationships))
        require_room(sizes, folder)
        with runner.fresh_database():
            measures = {"scale": partial(measure, sizes, rounds=options.rounds, calls=options.calls)}
            runner.measure("scale", measures, keep=tuple(sizes) == SIZES)


def compare(options: argparse.Namespace) -> None:
    """Raises SystemExit without Citus."""
    with citus.own_servers("citus_1", workers=4, place=options.folder) as servers:
        url = database_url(servers / "coordinator", name="plain")
        with runner.own_settings(options.folder, DATABASE_URL=url):
            from benchmarks.scale.distributed import Comparison

            measure = partial(Comparison(servers).measure, rounds=options.rounds, calls=options.calls)
            runner.measure("distributed", {"nodes": measure}, keep=options.calls >= CALLS)


if __name__ == "__main__":
    main()
