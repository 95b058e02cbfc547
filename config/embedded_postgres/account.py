"""The account that runs the server. PostgreSQL refuses root, so root steps down to an existing account."""

import errno
import os
import pwd
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from config.embedded_postgres.errors import OWN_SERVER, EmbeddedPostgresError

CANDIDATES = ("postgres", "nobody")

# Without our own variables: a PGPORT would move the socket, and API keys don't belong in another account's process.
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}

# Containers without the right to change users, or with a single user mapped.
_STEP_DOWN_REFUSED = {errno.EPERM, errno.EINVAL}


class Account(NamedTuple):
    """An unprivileged account of the operating system."""

    name: str
    uid: int
    gid: int


class Outcome(NamedTuple):
    """How a program ended, and what it wrote to both of its outputs."""

    succeeded: bool
    output: str


def account_for(data_dir: Path) -> Account | None:
    """The account that must run the server on these files; None is the present one, unless that is root.

    For root it is the files' owner, or else the first of CANDIDATES. Raises EmbeddedPostgresError.
    """
    if os.geteuid() != 0:
        return None
    if data_dir.exists() and data_dir.stat().st_uid != 0:
        owner = data_dir.stat()
        return Account(f"user id {owner.st_uid}", owner.st_uid, owner.st_gid)
    return first_account(CANDIDATES)


def first_account(names: Sequence[str]) -> Account:
    """The first of these accounts that exists. Raises EmbeddedPostgresError."""
    for name in names:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise _no_account(f"there is no account named {' or '.join(names)} to run it instead")


def run_as(
    account: Account | None, command: Sequence[str | Path], *, cwd: Path = Path("/"), timeout: float = 180
) -> Outcome:
    """Run a program to its end as the account, in the folder `cwd`, with an environment of our own.

    The folder is entered before stepping down, so the account need not be able to walk there by itself.
    Output goes to a file, never a pipe, which a server that the program leaves behind would hold open.
    A program that cannot be run at all is an outcome too. Raises EmbeddedPostgresError.
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
            return Outcome(False, f"{command[0]} took longer than {timeout:g} s")
        except OSError as error:
            if account and error.errno in _STEP_DOWN_REFUSED:
                raise _no_account(f"this system does not let us become '{account.name}' ({error})") from error
            return Outcome(False, str(error))
        output.seek(0)
        return Outcome(done.returncode == 0, output.read().decode(errors="replace").strip())


def _no_account(reason: str) -> EmbeddedPostgresError:
    return EmbeddedPostgresError(
        f"PostgreSQL refuses to run as root, and {reason}.\nRun Rapport as an ordinary user. {OWN_SERVER}"
    )
