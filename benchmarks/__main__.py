"""`make bench`: measure contexts, turns, chat, workspaces and searches of the running service."""

from functools import partial

from benchmarks import runner


def main() -> None:
    parser = runner.parser("benchmarks", __doc__, only=True)
    parser.add_argument("--long", action="store_true", help="more and longer rounds: about 15 minutes")
    parser.add_argument("--smoke", action="store_true", help="a few calls of each, to check that it runs")
    options = parser.parse_args()
    with runner.own_settings():
        from benchmarks.measures import LONG, MEASURES, QUICK, SMOKE, Setup
        from benchmarks.service import models, running_service

        names = runner.known(options.only, MEASURES)
        scale = SMOKE if options.smoke else LONG if options.long else QUICK
        with models(), runner.fresh_database(), running_service() as service:
            setup = Setup.on(service, scale)
            measures = {name: partial(MEASURES[name], setup) for name in names}
            part = options.only or options.smoke or options.no_save
            runner.measure("bench", measures, keep=not part, readers="2 x 64")


if __name__ == "__main__":
    main()
