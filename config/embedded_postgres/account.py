"""Whom the server runs as. PostgreSQL refuses root, so root steps down to an account that already exists."""

import errno
import os
import pwd
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from config.embedded_postgres.errors import NoAccountError

CANDIDATES = ("postgres", "nobody")

# Nothing of ours: a PGPORT would move the socket, and API keys do not belong in another account's process.
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}

_TIMED_OUT, _CANNOT_RUN = 124, 126  # as timeout(1) and the shell have it
# Containers without the right to change users, or with a single user mapped.
_STEP_DOWN_REFUSED = {errno.EPERM, errno.EINVAL}


@dataclass(frozen=True)
class Account:
    """An unprivileged account of the operating system."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True)
class Outcome:
    """How a program ended: its exit status, and what it wrote to both of its outputs."""

    status: int
    output: str

    @property
    def succeeded(self) -> bool:
        return self.status == 0


def account_for(data_dir: Path) -> Account | None:
    """The account that must run the server on these files; None stands for the one we already are.

    As root that is whoever owns the files, else the first of CANDIDATES. Raises NoAccountError.
    """
    if os.geteuid() != 0:
        return None
    if data_dir.exists() and data_dir.stat().st_uid != 0:
        owner = data_dir.stat()
        return Account(_name_of(owner.st_uid), owner.st_uid, owner.st_gid)
    return first_account(CANDIDATES)


def first_account(names: Sequence[str]) -> Account:
    """The first of these accounts that exists. Raises NoAccountError."""
    for name in names:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise NoAccountError(reason=f"there is no account named {' or '.join(names)} to run it instead")


def run_as(
    account: Account | None, command: Sequence[str | Path], *, cwd: Path = Path("/"), timeout: float = 180
) -> Outcome:
    """Run a program to its end as the account, in the folder `cwd`, with an environment of our own.

    The folder is entered before stepping down, so the account need not be able to walk there by itself.
    Output goes to a file, never a pipe, which a server that the program leaves behind would hold open.
    A program that cannot be run at all is an outcome too. Raises NoAccountError.
    """
    with tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(  # noqa: S603 - our own commands, no shell
                [str(part) for part in command],
                cwd=cwd,
                env=_ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=timeout,
                check=False,
                start_new_session=True,
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
            )
        except subprocess.TimeoutExpired:
            return Outcome(_TIMED_OUT, f"{command[0]} took longer than {timeout:g} s")
        except OSError as error:
            if account and error.errno in _STEP_DOWN_REFUSED:
                raise NoAccountError(
                    reason=f"this system does not let us become '{account.name}' ({error})"
                ) from error
            return Outcome(_CANNOT_RUN, str(error))
        output.seek(0)
        return Outcome(done.returncode, output.read().decode(errors="replace").strip())


def can_enter(account: Account | None, folder: Path) -> bool:
    """Whether the account can walk to the folder from the root of the file system."""
    return account is None or run_as(account, ["/bin/sh", "-c", 'cd -- "$1"', "sh", folder]).succeeded


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
