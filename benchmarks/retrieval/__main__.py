"""`make bench-retrieval`: is everything found for every tenant, and what does a search take?

All data is drawn from a seed; a database of its own is made and thrown away.
"""

from benchmarks import runner


def main() -> None:
    parser = runner.parser("benchmarks.retrieval", __doc__, only=False)
    parser.add_argument("--tenants", type=int, default=1000)
    parser.add_argument("--calls", type=int, default=60)
    options = parser.parse_args()
    with runner.own_settings():
        from benchmarks.retrieval.measures import tenants
        from benchmarks.service import server_version
        from benchmarks.timing import machine

        console = runner.console()
        with runner.fresh_database(), runner.progress(console) as say:
            measures = {"tenants": lambda: tenants(options.tenants, calls=options.calls)}
            sections = runner.measure(measures, say, console)
            about = machine() | {"PostgreSQL": server_version()}
        runner.conclude("retrieval", sections, about, keep=not options.no_save)


if __name__ == "__main__":
    main()
