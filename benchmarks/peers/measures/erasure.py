"""Erasure: which words of a deleted person are left after the deletion, and after the system's own purge."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from string import ascii_lowercase

import psycopg
from psycopg import sql

from benchmarks.peers.scenario import Lab, Rounds, line_of
from benchmarks.peers.stories import Story, Words, book_of, life_stories, turn_of
from benchmarks.peers.systems import NotThere, System
from benchmarks.report import Figure, Goal, Section
from benchmarks.runner import say
from benchmarks.service import data_folder

PEOPLE = 6  # who are deleted, and as many who stay
_SETTLE_SECONDS = 60.0
_TABLES = """
    SELECT table_schema, table_name FROM information_schema.tables
    WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2
"""
_HOW = (
    "One pass. Two groups of people tell their stories and ask questions; then each person of one group is deleted by "
    "the documented call. Made-up words that only these people used are counted in a dump of every table, in every "
    "file that the system keeps, its log included, and in the raw files of the PostgreSQL server, before and after the "
    "system's own purge. In raw files, words that PostgreSQL has compressed are not found."
)


@dataclass(slots=True)
class Left:
    """How often the words of deleted people were found. `purged`: a text says why there was no purge."""

    before: int = 0  # in tables before the deletion, to show that the search works
    kept: float = 0.0  # words of the other people in tables, in percent of those before the deletion
    tables: int = 0
    files: int = 0
    raw: int = 0
    purged: Rounds = ()
    where: list[str] = field(default_factory=list)


def erasure(lab: Lab) -> Section:
    left: dict[str, Left] = {}
    for place, make in enumerate(lab.systems):
        say(f"erasure: {make.name}")
        with lab.noting(make.name), lab.running(make) as system:
            left[make.name] = _erase(lab, system, f"qx{ascii_lowercase[place]}")
    at_once = lab.ours({name: float(one.tables + one.files) for name, one in left.items()})
    purged = lab.ours({n: one.purged[0] for n, one in left.items() if not isinstance(one.purged, str)})
    line = partial(line_of, left)
    return lab.section(
        "Erasure",
        _HOW,
        [
            line("words in the tables before", lambda one: [float(one.before)], better=None),
            line("left over in tables, at once", lambda one: [float(one.tables)]),
            line("left over in files, at once", lambda one: [float(one.files)]),
            line("words of the others still in the tables", lambda one: [one.kept], "%", "more"),
            line("in raw files, before a purge", lambda one: [float(one.raw)], better=None),
            line("left over in raw files, after its own purge", lambda one: one.purged),
        ],
        [
            Figure("left over in tables and files, at once", max(at_once, default=None), goal=Goal(0)),
            Figure("left over in raw files, after the purge", max(purged, default=None), goal=Goal(0)),
        ],
        [f"{name}: left over in {', '.join(one.where)}" for name, one in left.items() if one.where],
    )


def _erase(lab: Lab, system: System, stem: str) -> Left:
    """Tell the stories of two groups of people, delete one group, and search for their words.

    The words of each system begin differently, as the log of the server is shared.
    """
    count = lab.of(PEOPLE, at_least=3)
    gone, kept = f"{stem}go", f"{stem}stay"
    leaving, staying = (
        life_stories(count, seed=f"{one}-{system.name}", words=Words(one, stem=one)) for one in (gone, kept)
    )
    _tell(lab, system, [*leaving, *staying])
    left = Left(before=_in_tables(system, gone).total())
    others = _in_tables(system, kept).total()
    for story in leaving:
        system.delete_person(story.user)
    tables, files = _in_tables(system, gone), _in_files(_files_below(system.folder), gone)
    left.tables, left.files = tables.total(), files.total()
    left.where = [f"{place} ({times})" for place, times in sorted((tables + files).items())]
    left.kept = 100 * _in_tables(system, kept).total() / max(1, others)
    left.raw = _in_files(_raw_files(system), gone).total()
    try:
        system.purge()
        left.purged = [float(_in_files(_raw_files(system), gone).total())]
    except NotThere as missing:
        left.purged = str(missing)
    return left


def _tell(lab: Lab, system: System, stories: Sequence[Story]) -> None:
    """Hand over the stories, then ask a question about each change."""
    lab.model.teach(book_of(told for story in stories for told in story.told))
    for story in stories:
        for told in story.told:
            system.hand_over(story.user, turn_of(told))
    system.settle(_SETTLE_SECONDS)
    for story in stories:
        for told in story.changes:
            system.fetch(story.user, told.question)


def _in_tables(system: System, word: str) -> Counter[str]:
    """How often the word is in a dump of each table, in any case."""
    found = Counter[str]()
    with psycopg.connect(system.database_url) as connection:
        for schema, table in connection.execute(_TABLES).fetchall():
            dump = sql.SQL("COPY (SELECT * FROM {}) TO STDOUT").format(sql.Identifier(schema, table))
            with connection.cursor() as cursor, cursor.copy(dump) as copy:
                counts = (bytes(row).lower().count(word.casefold().encode()) for row in copy)
                found[f"{schema}.{table}"] = sum(counts)
    return found


def _in_files(files: Iterable[Path], word: str) -> Counter[str]:
    """How often the word is in files of each name, in any case. Files that no longer exist are skipped."""
    found, wanted = Counter[str](), re.compile(word.encode(), re.IGNORECASE)
    for file in files:
        with suppress(OSError):
            found[file.name] += len(wanted.findall(file.read_bytes()))
    return found


def _files_below(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*")) if file.is_file()]


def _raw_files(system: System) -> list[Path]:
    """Files that may contain data of the system: of its database, shared files of the server, and its own."""
    with psycopg.connect(system.database_url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        ((own,),) = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()")
    base = data_folder() / "base"
    shared = [file for file in _files_below(data_folder()) if base not in file.parents]
    return [*shared, *_files_below(base / str(own)), *_files_below(system.folder)]
