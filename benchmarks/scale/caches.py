"""Empties the caches, so that what is read next comes from the disk, or has what contexts read in memory."""

import os
from pathlib import Path

from django.conf import settings
from django.db import connection, connections

from config.embedded_postgres import start_if_used, stop

# What contexts read of somebody, but for what everybody shares.
READ_BY_CONTEXTS = (
    "relationships_relationship",
    "relationships_enduser",
    "relationships_snapshot",
    "relationships_message",
)
_FILES = """
SELECT pg_relation_filepath(part) FROM (
    SELECT c.oid AS part FROM pg_class c WHERE c.oid = ANY(%s::regclass[])
    UNION ALL SELECT c.reltoastrelid FROM pg_class c WHERE c.oid = ANY(%s::regclass[]) AND c.reltoastrelid <> 0
    UNION ALL SELECT i.indexrelid FROM pg_index i WHERE i.indrelid = ANY(%s::regclass[])
) parts
"""
_AT_ONCE = 1 << 20


def fill_cache() -> None:
    """Have the system keep the files of READ_BY_CONTEXTS in memory, as on a machine that has enough of it."""
    data: Path | None = settings.EMBEDDED_POSTGRES_DIR
    assert data is not None, "it is our own"
    tables = list(READ_BY_CONTEXTS)
    with connection.cursor() as cursor:
        cursor.execute(_FILES, [tables, tables, tables])
        files = [data / name for (name,) in cursor.fetchall()]
    for file in files:
        for segment in (file, *file.parent.glob(f"{file.name}.*")):
            with segment.open("rb", buffering=0) as opened:
                while opened.read(_AT_ONCE):
                    pass


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
