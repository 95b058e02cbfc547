"""How Django reaches PostgreSQL."""

from pathlib import Path
from typing import Any

import environ

from config import environment as env
from config.postgresql.silence import CONNECT_SECONDS, PATIENCE_SECONDS, PatientConnection, WatchedConnection

_GROUPS = 2  # of web processes: one answers requests, one makes replies
_LISTENERS = 1  # sessions that wait for NOTIFY: one a web process, one of the worker's queue
_MAINTENANCE = 2  # of a worker's maintenance process: the sweep's and the housekeeping's
_SHAPE = "write postgresql://user:password@host:5432/name"
# A server that is gone without a word, with its host or the way there, is noticed within half a minute: the system
# waits a quarter of an hour for an acknowledgement, and two hours where only an answer is due. libpq's words, for TCP.
KEEPALIVES = {
    "tcp_user_timeout": 30_000,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
}


def replica_of(url: str, *, process: str, pool: int) -> dict[str, Any]:
    """The standby that may be read instead, by its alias; nothing without a URL. Nobody waits long for it."""
    if not url:
        return {}
    database = settings_of(url, name="DATABASE_REPLICA_URL", data_dir=Path(), process=process, pool=pool)
    database["OPTIONS"]["connect_timeout"] = PATIENCE_SECONDS
    if "pool" in database["OPTIONS"]:
        database["OPTIONS"]["pool"] |= {"timeout": 0.25, "connection_class": PatientConnection}
    database["TEST"] = {"MIRROR": "default"}
    return {"replica": database}


def settings_of(
    url: str, *, data_dir: Path, process: str, pool: int, name: str = "DATABASE_URL"
) -> dict[str, Any]:
    """The one database: of this URL, or the embedded server's under `data_dir` where there is none.

    `name`: of the variable that the URL came from.
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
            "PORT": 5432,  # names the socket's file; else a PGPORT in the environment would
        }
    options = database["OPTIONS"] = {**KEEPALIVES, **database.get("OPTIONS", {})}
    options.setdefault("application_name", f"rapport-{process}")
    # Only our hot reads prepare; the ORM never does. Turn it off behind a pooler that shares connections.
    if env.flag("RAPPORT_PREPARED_STATEMENTS", True):
        options.setdefault("prepare_threshold", 5)
    else:
        database["DISABLE_SERVER_SIDE_CURSORS"] = True
    options.pop("pool", None)  # of a URL: processes that have one get it by `use_pool`
    database["ENGINE"] = "config.postgresql"  # which looks at the socket, and asks the server nothing
    if process == "web":
        options.setdefault("connect_timeout", CONNECT_SECONDS)
        use_pool(database, size=pool, timeout=3.0)
        options["pool"]["connection_class"] = WatchedConnection
    else:
        # A thread keeps its connection from one piece of work to the next, and looks first whether it lives.
        database["CONN_MAX_AGE"] = None
        database["CONN_HEALTH_CHECKS"] = True
    database["TEST"] = {"NAME": env.text("RAPPORT_TEST_DATABASE", "test_rapport")}
    return database


def use_pool(database: dict[str, Any], *, size: int, timeout: float) -> None:
    """Have the threads of this process share so many connections, and wait `timeout` seconds for one.

    Not before a fork: a pool does not survive it. Whoever waits for something else meanwhile gives its connection back
    (config.postgresql.sessions.release_connection).
    """
    database["CONN_MAX_AGE"] = 0
    database["CONN_HEALTH_CHECKS"] = (
        False  # the pool's own would ask the server; the engine looks at the socket
    )
    # A failed attempt ends soon, as the next who asks makes another: no pause grows while the database is away.
    database["OPTIONS"]["pool"] = {
        "min_size": 0,
        "max_size": size,
        "timeout": timeout,
        "reconnect_timeout": 1.0,
        "max_idle": 60.0,
        "num_workers": 1,
    }


def connections_in_all() -> tuple[int, int]:
    """At most, of both groups of web processes and of one `manage.py worker`, at this service's settings."""
    from django.conf import settings

    web: int = _GROUPS * settings.WEB_PROCESSES * (settings.DATABASE_POOL + _LISTENERS)
    queue: dict[str, Any] = settings.Q_CLUSTER
    return web, queue["workers"] * settings.DATABASE_POOL + _LISTENERS + _MAINTENANCE
