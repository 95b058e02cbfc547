"""Searches for a word in everything that is kept: every row of every table, every byte of every file."""

import mmap
from collections.abc import Iterable, Iterator
from pathlib import Path

import psycopg
from psycopg import sql

_TABLES = """
    SELECT table_schema, table_name FROM information_schema.tables
    WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2
"""
_CHUNK = 16 * 2**20


def in_tables(database_url: str, word: str) -> dict[str, int]:
    """How often the word stands in each table that holds it, whatever its case: as a dump would show it."""
    with psycopg.connect(database_url) as connection:
        tables = connection.execute(_TABLES).fetchall()
        counts = {
            f"{schema}.{table}": _count(_dump(connection, schema, table), word.casefold().encode())
            for schema, table in tables
        }
    return {table: count for table, count in counts.items() if count}


def in_files(files: Iterable[Path], word: str) -> dict[Path, int]:
    """How often the word stands in the bytes of each file that holds it, whatever its case. Files may vanish."""
    counts = {file: _count_in_file(file, word.casefold().encode()) for file in files}
    return {file: count for file, count in counts.items() if count}


def files_below(*folders: Path) -> list[Path]:
    return [file for folder in folders for file in sorted(folder.rglob("*")) if file.is_file()]


def files_of_database(database_urls: Iterable[str], data_dir: Path) -> list[Path]:
    """The server's files that may hold something of these databases: theirs, and those that all share, as the log."""
    numbers = set()
    for url in database_urls:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
            found = connection.execute(
                "SELECT oid FROM pg_database WHERE datname = current_database()"
            ).fetchone()
            assert found is not None
            numbers.add(str(found[0]))
    base = data_dir / "base"
    return [file for file in files_below(data_dir) if base not in file.parents or file.parent.name in numbers]


def _dump(connection: psycopg.Connection, schema: str, table: str) -> Iterator[bytes]:
    statement = sql.SQL("COPY (SELECT * FROM {}) TO STDOUT").format(sql.Identifier(schema, table))
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        yield from map(bytes, copy)


def _count(rows: Iterable[bytes], word: bytes) -> int:
    return sum(row.lower().count(word) for row in rows)


def _count_in_file(file: Path, word: bytes) -> int:
    try:
        if not file.stat().st_size:
            return 0
        with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return sum(
                content[start : start + _CHUNK + len(word) - 1].lower().count(word)
                for start in range(0, len(content), _CHUNK)
            )
    except OSError:
        return 0
