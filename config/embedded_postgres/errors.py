"""Errors of the embedded database. Each message ends with what to do."""

from pathlib import Path

OWN_SERVER = "Or set DATABASE_URL to a PostgreSQL of your own (15 or newer, with pgvector 0.8 or newer)."

_ADVICE = {  # by symptom; the first that fits, so the more special ones before
    "could not look up effective user ID": "This user id has no account name. Give it a line in /etc/passwd, "
    "or run as a named account.",
    "could not create shared memory segment": "The system refuses shared memory. Raise its limits "
    "(kernel.shmmax, kernel.shmall), then start again.",
    "could not resize shared memory segment": "Shared memory is full (/dev/shm). Make it larger "
    "(in a container: --shm-size), then start again.",
    "No space left on device": "The disk is full. Free some space, then start again.",
    "Cannot allocate memory": "The machine is out of memory. Free some, then start again.",
    "still in use": "Processes of a killed server still hold its memory. End them, then start again.",
    "Permission denied": "A file or folder is closed to the account that runs the server. Open it, "
    "then start again.",
}
_UPGRADE = """This Rapport brings PostgreSQL {brought}, which cannot read them. Nothing was changed. To move your data:
1. Go back to the Rapport that made the files: check it out, `pip install -r requirements.txt`.
2. python manage.py database start
3. pg_dump --format=custom --file=rapport.dump "$(python manage.py database url)"
4. python manage.py database stop
5. mv {data_dir} {data_dir}-{found}
6. Come forward to this Rapport again: check it out, `pip install -r requirements.txt`.
7. python manage.py database start
8. pg_restore --no-owner --dbname="$(python manage.py database url)" rapport.dump
pg_dump and pg_restore are in {programs}, in steps 3 and 8 each time those of the Rapport in use."""


class EmbeddedPostgresError(Exception):
    """The embedded database failed. Its text says why, and what to do."""


def advice_for(output: str) -> str:
    """What to do about a program's failure, by its last lines: one or two sentences."""
    fitting = (advice for symptom, advice in _ADVICE.items() if symptom in output)
    return next(fitting, "Mend what the last lines name, then start again.")


def unusable(data_dir: Path, reason: object, *, way_out: str) -> EmbeddedPostgresError:
    """The files cannot be made, read or owned as they must."""
    return EmbeddedPostgresError(
        f"The database files cannot be kept in {data_dir}: {reason}.\n{way_out} {OWN_SERVER}"
    )


def wrong_version(data_dir: Path, *, found: str, brought: int, programs: Path) -> EmbeddedPostgresError:
    """The files were made by another major version."""
    steps = _UPGRADE.format(data_dir=data_dir, found=found, brought=brought, programs=programs)
    return EmbeddedPostgresError(
        f"The database files in {data_dir} were made by PostgreSQL {found}.\n{steps}"
    )
