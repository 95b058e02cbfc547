"""The server's files: created once; before each start their version is checked and their settings are written."""

import os
import shutil
import tempfile
from pathlib import Path

from config.embedded_postgres.account import Account, run_as
from config.embedded_postgres.errors import advice_for, unusable, wrong_version
from config.embedded_postgres.layout import PORT, USER, socket_dir
from config.embedded_postgres.programs import MAJOR

# For a small machine that also runs the service. ALTER SYSTEM overrides each of them.
SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "cluster_name": "rapport",
    "max_connections": "100",
    "shared_buffers": "256MB",
    "maintenance_work_mem": "128MB",
    "effective_cache_size": "1GB",
    "jit": "off",
    "random_page_cost": "1.1",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # WAL: without replicas, only what crash recovery needs, removed soon.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_logical_replication_workers": "0",
    "min_wal_size": "32MB",
    "max_wal_size": "256MB",
    "wal_recycle": "off",  # a recycled segment would keep erased text for weeks
    # The log: without statements and values, as they quote people.
    "log_checkpoints": "off",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
_INCLUDE = "include 'rapport.conf'"
_SELF = Path("/proc/self/cwd")


def spelled_for(account: Account | None, data_dir: Path) -> str:
    """The path by which a program that runs in the data folder as this account must name it.

    Another account may have no access to a parent folder (a checkout under /root). So for that it is the system's path
    for the current folder, which the server never leaves.
    """
    return str(_SELF if account and _SELF.exists() else data_dir)


def prepare(data_dir: Path, account: Account | None, *, programs: Path) -> None:
    """Create the files if there are none, and check that this server can use them. No server may be running.

    Raises EmbeddedPostgresError.
    """
    version_file = data_dir / "PG_VERSION"
    if version_file.exists():
        found = version_file.read_text().strip()
        if found != str(MAJOR):
            raise wrong_version(data_dir, found=found, brought=MAJOR, programs=programs)
        _check_owner(data_dir, account)
    else:
        _create(data_dir, account, programs=programs)
    _prepare_socket_dir(data_dir, account)
    _write_settings(data_dir, account)


def _check_owner(data_dir: Path, account: Account | None) -> None:
    owner = data_dir.stat().st_uid
    if owner == (account.uid if account else os.geteuid()):
        return
    who = account.name if account else f"our user id, {os.geteuid()}"
    raise unusable(
        data_dir,
        f"they belong to user id {owner}, and the server would run as {who}",
        way_out=f"Hand them over: chown -R {account.uid if account else os.geteuid()} {data_dir}",
    )


def _create(data_dir: Path, account: Account | None, *, programs: Path) -> None:
    """Run initdb in a folder beside it and move the result, so that a killed start leaves nothing half done."""
    if data_dir.exists() and any(data_dir.iterdir()):
        raise unusable(
            data_dir,
            "it has files in it which are not a database",
            way_out="Move them away, or set RAPPORT_DATA_DIR to another folder.",
        )
    prefix = f".{data_dir.name}.new-"
    for leftover in data_dir.parent.glob(f"{prefix}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    building = Path(tempfile.mkdtemp(prefix=prefix, dir=data_dir.parent))
    try:
        _give_to(account, building)
        _initdb(building, account, programs=programs, final=data_dir)
        building.rename(data_dir)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _initdb(building: Path, account: Account | None, *, programs: Path, final: Path) -> None:
    # Full text search needs the C library's C.UTF-8 to recognise letters; some systems lack it.
    for character_type in ("C.UTF-8", "C"):
        made = run_as(
            account,
            [
                programs / "initdb",
                f"--pgdata={spelled_for(account, building)}",
                f"--username={USER}",
                "--encoding=UTF8",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                f"--lc-ctype={character_type}",
                "--auth-local=trust",  # whoever may open the socket; its folder is 0700
                "--auth-host=reject",
                "--no-instructions",
            ],
            cwd=building,
        )
        if made.succeeded:
            return
        if "invalid locale name" not in made.output:
            break
    tail = "\n".join(made.output.splitlines()[-8:])
    raise unusable(final, f"initdb failed:\n{tail}\n", way_out=advice_for(tail))


def _prepare_socket_dir(data_dir: Path, account: Account | None) -> None:
    folder = socket_dir(data_dir)
    if folder == data_dir:
        return
    try:
        folder.mkdir(mode=0o700)
        _give_to(account, folder)
    except FileExistsError:
        found = folder.lstat()
        if folder.is_symlink() or found.st_uid != (account.uid if account else os.geteuid()):
            raise unusable(
                data_dir,
                f"the folder of its socket, {folder}, belongs to somebody else",
                way_out="Remove that folder, or set RAPPORT_DATA_DIR to a shorter path.",
            ) from None


def _write_settings(data_dir: Path, account: Account | None) -> None:
    sockets = "." if socket_dir(data_dir) == data_dir else str(socket_dir(data_dir))
    settings = SETTINGS | {"unix_socket_directories": sockets}
    lines = [
        "# Written by Rapport at each start. Change a value with ALTER SYSTEM, which wins over this file."
    ]
    lines += [f"{name} = '{value}'" for name, value in settings.items()]
    _write(data_dir / "rapport.conf", "\n".join(lines) + "\n", account)
    main = data_dir / "postgresql.conf"
    text = main.read_text()
    if _INCLUDE not in text.splitlines():
        _write(main, f"{text.rstrip()}\n{_INCLUDE}\n", account)


def _write(file: Path, text: str, account: Account | None) -> None:
    """Write a file atomically, and never through a link that the server's account may have put there."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    with os.fdopen(handle, "w") as output:
        output.write(text)
        output.flush()
        os.fsync(output.fileno())
    _give_to(account, Path(name))
    Path(name).replace(file)


def _give_to(account: Account | None, path: Path) -> None:
    if account:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)
