"""`make bench-scale`: 100, 10,000 and 1,000,000 relationships on one machine: contexts, searches, room on the disk.

Each number has a database and a web server of its own, side by side. They are thrown away at the end.
"""

from pathlib import Path

from benchmarks import runner

SIZES = (100, 10_000, 1_000_000)


def main() -> None:
    parser = runner.parser("benchmarks.scale", __doc__, only=False)
    parser.add_argument("--relationships", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=300, help="of each sort, in each round")
    parser.add_argument("--folder", type=Path, help="below which the databases are; 40 GB for all three")
    options = parser.parse_args()
    with runner.own_settings(options.folder) as folder:
        from benchmarks.scale.run import Scales, require_room
        from benchmarks.service import server_version
        from benchmarks.timing import machine

        sizes = sorted(set(options.relationships))
        require_room(sizes, folder)
        console = runner.console()
        with runner.fresh_database(), runner.progress(console) as say:
            with Scales(sizes, say) as scales:
                measures = {"scale": lambda: scales.measure(rounds=options.rounds, calls=options.calls)}
                sections = runner.measure(measures, say, console)
            about = machine() | {"PostgreSQL": server_version()}
        keep = tuple(sizes) == SIZES and not options.no_save
        runner.conclude("scale", sections, about, keep=keep)


if __name__ == "__main__":
    main()
