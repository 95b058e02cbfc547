"""Gunicorn's configuration: `gunicorn -c config/gunicorn.py config.wsgi:application`.

Threads, as a request waits for the database and never for a model; what waits longer (`?wait`) is capped below their
number. Measured against async workers, which were no faster.
"""

import gc
import os
from pathlib import Path

from django.urls import get_resolver

os.environ["RAPPORT_PROCESS"] = "web"  # before settings are read

from config.settings import WEB_PROCESSES, WEB_THREADS

bind = os.environ.get("RAPPORT_BIND", "127.0.0.1:8000")
worker_class = "gthread"
workers = WEB_PROCESSES
threads = WEB_THREADS
# No preloading: each process makes its own connections, and a HUP takes new code in.
preload_app = False
keepalive = 75  # longer than the usual proxy's, so that the proxy closes first
timeout = 60  # of a process that does not move at all; a slow request does not count
graceful_timeout = 35  # a little more than the longest `?wait`
accesslog = None
errorlog = "-"
loglevel = "warning"
# Heartbeat files in memory: on a slow disk the master would take a living process for dead.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - gunicorn makes its own file


def post_worker_init(worker: object) -> None:
    """Load what the first request would, and take all that out of the garbage collector's sight.

    A full collection walks everything that lives while nobody is answered: 32 ms with all of Django in it.
    """
    _ = get_resolver().url_patterns
    gc.collect()
    gc.freeze()
