"""`make bench`: measure contexts, turns, chat, workspaces and searches of the running service."""

import argparse
from functools import partial

from benchmarks import runner


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    told = "this measurement only, and write nothing; may be repeated"
    parser.add_argument("--only", metavar="NAME", action="append", help=told)
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
            part = options.only or options.smoke
            runner.measure("bench", measures, keep=not part, readers="2 x 64")


if __name__ == "__main__":
    main()
