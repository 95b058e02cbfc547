"""`make soak`: use the whole service at a steady rate for 20 minutes, then check every invariant.

Turns, contexts, searches, edits, profiles, sessions and erasures, with a model that answers at once, on a temporary
database.
"""

import argparse

from benchmarks import runner

FULL_MINUTES = 20


def main() -> None:
    """Raises SystemExit(1) if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=FULL_MINUTES)
    parser.add_argument("--rate", type=float, default=20, help="actions a second")
    parser.add_argument("--people", type=int, default=150, help="who are there at any time")
    options = parser.parse_args()
    with runner.own_settings():
        from benchmarks.service import models, running_service
        from benchmarks.soak.run import soak

        with models(), runner.fresh_database(), running_service() as service:
            how = {"seconds": options.minutes * 60, "rate": options.rate, "people": options.people}
            keep = options.minutes >= FULL_MINUTES
            measures = {"the soak": lambda: soak(service, **how)}
            if not runner.measure("soak", measures, keep=keep, readers="2 x 64"):
                raise SystemExit(1)


if __name__ == "__main__":
    main()
