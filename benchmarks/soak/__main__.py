"""`make soak`: the whole service at a steady rate for 20 minutes; then every invariant is checked.

Turns, contexts, searches, edits, profiles, sessions, and people who are erased, against a model that answers at once.
The database is its own, and is thrown away.
"""

from benchmarks import runner

FULL_MINUTES = 20


def main() -> None:
    """Ends with an error when something is not as it must be; a missed goal of memory or latency too."""
    parser = runner.parser("benchmarks.soak", __doc__, only=False)
    parser.add_argument("--minutes", type=float, default=FULL_MINUTES)
    parser.add_argument("--rate", type=float, default=20, help="actions a second")
    parser.add_argument("--people", type=int, default=150, help="who are there at any time")
    options = parser.parse_args()
    # As shipped, whatever the shell says.
    with runner.own_settings(RAPPORT_WORKERS="2", RAPPORT_READERS="64"):
        from benchmarks.service import models, running_service, server_version
        from benchmarks.soak.run import soak
        from benchmarks.timing import machine

        console = runner.console()
        with models(), runner.fresh_database(), running_service() as service:
            with runner.progress(console) as say:
                measures = {
                    "the soak": lambda: soak(
                        service,
                        seconds=options.minutes * 60,
                        rate=options.rate,
                        people=options.people,
                        say=say,
                    )
                }
                sections = runner.measure(measures, say, console)
            about = machine() | {"PostgreSQL": server_version(), "readers": "2 x 64"}
        keep = options.minutes >= FULL_MINUTES and not options.no_save
        if runner.conclude("soak", sections, about, keep=keep):
            raise SystemExit(1)


if __name__ == "__main__":
    main()
