"""`make bench-retrieval`: is everything found for every tenant, and how long a search takes by size.

All data is drawn from a seed; a database of its own is made and thrown away.
"""

from functools import partial

from benchmarks import runner


def main() -> None:
    parser = runner.parser("benchmarks.retrieval", __doc__)
    parser.add_argument("--long", action="store_true", help="in full: 5,000 tenants, 50,000 entries")
    parser.add_argument("--smoke", action="store_true", help="a few of everything: to see that it runs")
    options = parser.parse_args()
    with runner.own_settings():
        from benchmarks.retrieval.measures import LONG, MEASURES, SHORT, SMOKE
        from benchmarks.service import server_version
        from benchmarks.timing import machine

        names = runner.known(options.only, MEASURES)
        scale = SMOKE if options.smoke else LONG if options.long else SHORT
        console = runner.console()
        with runner.fresh_database(), runner.progress(console) as say:
            sections = runner.measure({name: partial(MEASURES[name], scale) for name in names}, say, console)
            about = machine() | {"PostgreSQL": server_version()}
        part = options.only or options.smoke or options.no_save
        runner.conclude("retrieval", sections, about, keep=not part)


if __name__ == "__main__":
    main()
