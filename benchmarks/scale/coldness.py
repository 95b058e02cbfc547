"""Empties the caches, so that what is read next comes from the disk."""

import os
from pathlib import Path

from django.conf import settings
from django.db import connections

from config.embedded_postgres import start_if_used, stop


def empty_caches() -> None:
    """The database's own, by starting it anew, and what the system keeps of its files, where the system can be told."""
    connections.close_all()
    data: Path | None = settings.EMBEDDED_POSTGRES_DIR
    assert data is not None, "it is our own"
    stop(data)
    for file in data.rglob("*"):
        if file.is_file():
            _let_go(file)
    start_if_used()


def _let_go(file: Path) -> None:
    if not hasattr(os, "posix_fadvise"):
        return
    handle = os.open(file, os.O_RDONLY)
    try:
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)
