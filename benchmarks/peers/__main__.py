"""`make bench-peers`: Rapport beside mem0, LangMem and a plain baseline; the report goes to benchmarks/results.

Fresh processes and databases, a model server on loopback, nothing of this machine's settings. Some 20 minutes.
"""

import argparse
import os
import signal
import sys
from types import FrameType


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a few of everything, in some minutes: no figures to keep"
    )
    parser.add_argument("--only", metavar="MEASURE", action="append", help="this one only; may be repeated")
    parser.add_argument("--systems", metavar="NAME", action="append", help="this one only; may be repeated")
    parser.add_argument("--rounds", type=int, help="interleaved rounds; 5, or 2 with --quick")
    parser.add_argument("--no-save", action="store_true", help="write nothing into benchmarks/results")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, _end)  # so that what was started is ended
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from benchmarks.peers.run import run

    run(
        quick=options.quick,
        rounds=options.rounds,
        only=options.only,
        systems=options.systems,
        save_it=not options.no_save,
        command=" ".join(["python -m benchmarks.peers", *sys.argv[1:]]),
    )


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main()
