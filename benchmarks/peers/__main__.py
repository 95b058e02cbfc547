"""`make bench-peers`: compare Rapport with mem0, LangMem and a plain baseline, in some 20 minutes.

With new processes and databases, a model server on loopback, and none of this machine's settings.
"""

import argparse
from functools import partial
from importlib.metadata import version

from benchmarks import runner

CONNECTIONS = 400  # every system keeps its connections while the others are measured


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    told = "this measurement only, and write nothing; may be repeated"
    parser.add_argument("--only", metavar="NAME", action="append", help=told)
    told = "a few of everything, in some minutes: no figures to keep"
    parser.add_argument("--quick", action="store_true", help=told)
    parser.add_argument("--systems", metavar="NAME", action="append", help="this one only; may be repeated")
    parser.add_argument("--rounds", type=int, help="interleaved rounds; 5, or 2 with --quick")
    options = parser.parse_args()
    with runner.own_settings() as folder:
        from benchmarks.peers.measures import MEASURES
        from benchmarks.peers.model import Model
        from benchmarks.peers.rapport import Rapport, RapportRetrieval
        from benchmarks.peers.scenario import Lab
        from benchmarks.peers.systems import Baseline, LangMem, Mem0, NotThere, System

        known: tuple[type[System], ...] = (Rapport, RapportRetrieval, Mem0, LangMem, Baseline)
        by_name = {system.name: system for system in known}
        names = runner.known(options.only, MEASURES)
        rounds = options.rounds or (2 if options.quick else 5)
        about = {"ours": f"Django {version('Django')}", "prompt tokens": "characters / 4"}
        about["interleaved rounds"] = str(rounds)
        systems: list[type[System]] = []
        for name in runner.known(options.systems, by_name):
            system = by_name[name]
            try:
                about[system.title] = f"{system.version()}; {system.settings}"
                systems.append(system)
            except NotThere as reason:
                about[system.title] = f"not there: {reason}"
        with runner.fresh_database(connections=CONNECTIONS), Model() as model:
            lab = Lab(model, systems, folder, rounds, 0.1 if options.quick else 1.0)
            measures = {name: partial(lab.measured, MEASURES[name]) for name in names}
            part = options.only or options.systems or options.quick
            runner.measure("peers", measures, keep=not part, **about)


if __name__ == "__main__":
    main()
