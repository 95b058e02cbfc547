"""Django's DATABASES: connections to PostgreSQL and their pools."""

from pathlib import Path
from typing import Any

import environ
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from config import environment as env
from config.postgresql.silence import CONNECT_SECONDS, PATIENCE_SECONDS, PatientConnection, WatchedConnection

_GROUPS = 2  # of web processes: one answers requests, one makes chat replies
_LISTENERS = 1  # sessions that wait for NOTIFY: one per web process, one of the worker's queue
_MAINTENANCE = 3  # of a worker's maintenance process: the heartbeat's, the sweep's and the housekeeping's
_SHAPE = "write postgresql://user:password@host:5432/name"
# libpq's options for TCP, by which a host or network that is gone is noticed within half a minute. By default a system
# waits 15 minutes for an acknowledgement, and two hours while it only waits for an answer.
KEEPALIVES = {
    "tcp_user_timeout": 30_000,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
}


def replica_of(url: str, *, process: str, pool: int) -> dict[str, Any]:
    """The standby as a second database `replica`, with short timeouts; {} without a URL."""
    if not url:
        return {}
    database = settings_of(url, name="DATABASE_REPLICA_URL", data_dir=Path(), process=process, pool=pool)
    database["OPTIONS"]["connect_timeout"] = PATIENCE_SECONDS
    if "pool" in database["OPTIONS"]:
        database["OPTIONS"]["pool"] |= {"timeout": 0.25, "connection_class": PatientConnection}
    database["TEST"] = {"MIRROR": "default"}
    return {"replica": database}


def direct_url() -> str:
    """DATABASE_DIRECT_URL, which libpq reads itself."""
    url = env.text("DATABASE_DIRECT_URL")
    try:
        conninfo_to_dict(url)
    except ProgrammingError:  # it quotes the URL, and with it the password
        env.problem("DATABASE_DIRECT_URL", "is not an address of PostgreSQL", _SHAPE)
        return ""
    return url


def settings_of(
    url: str, *, data_dir: Path, process: str, pool: int, name: str = "DATABASE_URL"
) -> dict[str, Any]:
    """A database of Django's settings: the one of this URL, or without a URL the embedded server under `data_dir`.

    `name`: the variable that contains the URL.
    """
    if url:
        try:
            database: dict[str, Any] = environ.Env.db_url_config(url)
        except Exception as error:
            env.problem(name, f"can't be read: {error}", _SHAPE)
            database = {"ENGINE": "django.db.backends.postgresql", "NAME": "rapport"}
        if database.get("ENGINE") != "django.db.backends.postgresql":
            env.problem(name, "is not PostgreSQL", _SHAPE)
    else:
        from config.embedded_postgres import socket_dir

        database = {
            "NAME": "rapport",
            "USER": "postgres",
            "HOST": str(socket_dir(data_dir / "postgres")),
            "PORT": 5432,  # part of the socket's file name, which a PGPORT in the environment could change
        }
    options = database["OPTIONS"] = {**KEEPALIVES, **database.get("OPTIONS", {})}
    options.setdefault("application_name", f"rapport-{process}")
    # Only our hot reads prepare statements, the ORM never does. Turn it off behind a pooler that shares connections.
    if env.flag("RAPPORT_PREPARED_STATEMENTS", True):
        options.setdefault("prepare_threshold", 5)
    else:
        database["DISABLE_SERVER_SIDE_CURSORS"] = True
    options.pop("pool", None)  # from the URL; processes with a pool get it by `use_pool`
    database["ENGINE"] = "config.postgresql"  # checks connections by their socket, without a query
    if process == "web":
        options.setdefault("connect_timeout", CONNECT_SECONDS)
        use_pool(database, size=pool, timeout=3.0)
        options["pool"]["connection_class"] = WatchedConnection
    else:
        # A thread keeps its connection for the next piece of work, and then checks it first.
        database["CONN_MAX_AGE"] = None
        database["CONN_HEALTH_CHECKS"] = True
    database["TEST"] = {"NAME": env.text("RAPPORT_TEST_DATABASE", "test_rapport")}
    return database


def use_pool(database: dict[str, Any], *, size: int, timeout: float) -> None:
    """Let the threads of this process share `size` connections, and wait `timeout` seconds for one.

    Call it after forking, as a pool does not survive that. A thread that waits for something else should give its
    connection back meanwhile (config.postgresql.sessions.release_connection).
    """
    database["CONN_MAX_AGE"] = 0
    database["CONN_HEALTH_CHECKS"] = False  # that would be a query; the engine looks at the socket
    # Give up soon, as the next request tries again: so no back-off grows while the database is down.
    database["OPTIONS"]["pool"] = {
        "min_size": 0,
        "max_size": size,
        "timeout": timeout,
        "reconnect_timeout": 1.0,
        "max_idle": 60.0,
        "num_workers": 1,
    }


def connections_in_all() -> tuple[int, int]:
    """The most connections that all web processes, and one `manage.py worker`, open with these settings."""
    from django.conf import settings

    web: int = _GROUPS * settings.WEB_PROCESSES * (settings.DATABASE_POOL + _LISTENERS)
    queue: dict[str, Any] = settings.Q_CLUSTER
    return web, queue["workers"] * settings.DATABASE_POOL + _LISTENERS + _MAINTENANCE
