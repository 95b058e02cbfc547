"""`make bench`: contexts, intake and ingestion of the running service, each beside its goal."""

from functools import partial

from benchmarks import runner


def main() -> None:
    parser = runner.parser("benchmarks", __doc__)
    parser.add_argument("--long", action="store_true", help="more and longer rounds: about 15 minutes")
    parser.add_argument("--smoke", action="store_true", help="a few of everything: to see that it runs")
    options = parser.parse_args()
    # As shipped, whatever the shell says.
    with runner.own_settings(RAPPORT_WORKERS="2", RAPPORT_READERS="64"):
        from benchmarks.measures import LONG, MEASURES, QUICK, SMOKE, Setup
        from benchmarks.service import models, running_service, server_version
        from benchmarks.timing import machine

        names = runner.known(options.only, MEASURES)
        scale = SMOKE if options.smoke else LONG if options.long else QUICK
        console = runner.console()
        with models(), runner.fresh_database(), running_service() as service:
            setup = Setup.on(service, scale)
            measures = {name: partial(MEASURES[name], setup) for name in names}
            with runner.progress(console) as say:
                sections = runner.measure(measures, say, console)
            about = machine() | {"PostgreSQL": server_version(), "readers": "2 x 64"}
        part = options.only or options.smoke or options.no_save
        runner.conclude("bench", sections, about, keep=not part)


if __name__ == "__main__":
    main()
