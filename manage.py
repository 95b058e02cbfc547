#!/usr/bin/env python
"""Django's command line. Starts the embedded database first where a command needs one."""

import gc
import os
import select
import signal
import sys

# Commands that must work while the database is down, or that never ask it anything.
WITHOUT_DATABASE = {
    "database",
    "stop",
    "help",
    "version",
    "--version",
    "collectstatic",
    "makemessages",
}
HELP = {"-h", "--help"}


# Imported code is no garbage, and a long body is hundreds of thousands of objects without cycles. So collect less
# often: a command starts a sixth faster, and each collection stops all threads of a server.
gc.set_threshold(20_000, 50, 100)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1:2] in (["web"], ["worker"]):
        os.environ["RAPPORT_PROCESS"] = sys.argv[1]  # before settings are read
    from django.core.management import execute_from_command_line

    if len(sys.argv) > 1 and sys.argv[1] not in WITHOUT_DATABASE and not HELP & {*sys.argv}:
        from config.embedded_postgres import EmbeddedPostgresError, start_if_used

        try:
            start_if_used()
        except EmbeddedPostgresError as error:
            sys.exit(f"The embedded database did not start. {error}")
    try:
        execute_from_command_line(sys.argv)
        sys.stdout.flush()
    except BrokenPipeError:
        if not _nobody_reads():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python flushes once more at exit
        sys.exit(1)
    except KeyboardInterrupt:
        if "--traceback" in sys.argv:
            raise
        sys.stderr.write("Stopped.\n")
        sys.exit(128 + signal.SIGINT)
    except Exception as error:
        from config.postgresql.unusable import why_unusable

        if "--traceback" in sys.argv or not (why := why_unusable(error)):
            raise
        sys.exit(f"CommandError: {why}")


def _nobody_reads() -> bool:
    """Return whether the reader of standard output has gone, as `| head` does."""
    output = select.poll()
    output.register(1, 0)
    return bool(output.poll(0))


if __name__ == "__main__":
    main()
