"""How Django reaches PostgreSQL."""

from pathlib import Path
from typing import Any

import environ

from config import environment as env


def settings_of(url: str, *, data_dir: Path, process: str) -> dict[str, Any]:
    """The one database: of this URL, or the embedded server's under `data_dir` where there is none."""
    if url:
        try:
            database: dict[str, Any] = environ.Env.db_url_config(url)
        except Exception as error:
            env.problem(
                "DATABASE_URL", f"can't be read: {error}", "write postgresql://user:password@host:5432/name"
            )
            database = {"ENGINE": "django.db.backends.postgresql", "NAME": "rapport"}
        if database.get("ENGINE") != "django.db.backends.postgresql":
            env.problem(
                "DATABASE_URL", "is not PostgreSQL", "write postgresql://user:password@host:5432/name"
            )
    else:
        from config.embedded_postgres import socket_dir

        database = {
            "NAME": "rapport",
            "USER": "postgres",
            "HOST": str(socket_dir(data_dir / "postgres")),
            "PORT": 5432,  # names the socket's file; else a PGPORT in the environment would
        }
    options = database.setdefault("OPTIONS", {})
    options.setdefault("application_name", f"rapport-{process}")
    # Only our hot reads prepare; the ORM never does. Turn it off behind a pooler that shares connections.
    if env.flag("RAPPORT_PREPARED_STATEMENTS", True):
        options.setdefault("prepare_threshold", 5)
    else:
        database["DISABLE_SERVER_SIDE_CURSORS"] = True
    options.pop("pool", None)  # of a URL: it would not go with what follows
    # A thread keeps its connection from one request or task to the next, and looks first whether it lives.
    database["CONN_MAX_AGE"] = None
    database["CONN_HEALTH_CHECKS"] = True
    if process == "web":
        options.setdefault("connect_timeout", 3)  # who asks is told soon that the database is away
    database["ENGINE"] = "config.postgresql"  # which looks at the socket, and asks the server nothing
    database["TEST"] = {"NAME": env.text("RAPPORT_TEST_DATABASE", "test_rapport")}
    return database
