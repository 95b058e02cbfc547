"""Measures all sizes in alternating rounds."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from django.conf import settings
from django.db import connections

from benchmarks.report import Figure, Goal, Section, of_ratios, of_rounds
from benchmarks.runner import say
from benchmarks.scale.reads import READ_BY_CONTEXTS, WORKING_SET, Times, in_process
from benchmarks.scale.seed import EMBEDDED, Seeded, seed
from benchmarks.scale.templates import PATTERNS, make_templates
from benchmarks.service import use_database
from benchmarks.timing import p50
from config.postgresql.sessions import execute
from tests.acceptance.database import create_database

GB = 2**30
MOST_GROWTH, MOST_ROOM = 1.5, 40
ALL_HISTORY_UP_TO = (
    100_000  # of larger numbers only every other one has a history, which no context or search reads
)
KB_EACH, KB_OF_HISTORY = 30, 22  # as measured
_WHILE_BUILDING = 3 * GB
_HISTORY, _VECTORS = "memory_entryrevision", "memory_embedding"
_GOALS = ("context, warm", "context, any, in memory")
_ANY = (
    f"Warm: {WORKING_SET} relationships, read again and again. Any: drawn anew from all, and nobody twice. In memory: "
    "the files that contexts read were read from end to end before each round; what searches read is in memory as far "
    "as it fits."
)
_SIZES = """
SELECT oid::regclass::text, pg_total_relation_size(oid)
  FROM pg_class
 WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
 ORDER BY 2 DESC
"""
Rounds = Mapping[int, Sequence[Times]]  # by size


@dataclass(frozen=True, slots=True)
class Place:
    """The database of one number of relationships."""

    database: str
    seeded: Seeded
    tables: Mapping[str, int]  # bytes of each, with its indexes
    seconds: float  # of seeding


def measure(sizes: Sequence[int], *, rounds: int, calls: int) -> list[Section]:
    """`sizes`: numbers of relationships, the smallest first."""
    places = _seeded(sizes)
    how = f"{rounds} rounds of {calls} calls for each number of relationships, which take turns."
    return [
        _times("In process", f"{how} {_ANY}", _rounds(places, rounds=rounds, calls=calls)),
        _room(places),
    ]


def _seeded(sizes: Sequence[int]) -> dict[int, Place]:
    say("the people everybody is like")
    empty = str(settings.DATABASES["default"]["NAME"])
    patterns = min(PATTERNS, *sizes)
    last_seq = make_templates(patterns)
    places = {}
    for size in sizes:
        say(f"{size:,} relationships")
        database = f"scale_{size}"
        connections.close_all()  # nobody may be connected to the template
        create_database(database, template=empty)
        use_database(database)
        began = perf_counter()
        seeded = seed(size, patterns=patterns, last_seq=last_seq, history_of_one_in=_one_in(size))
        seconds = perf_counter() - began
        places[size] = Place(database, seeded, dict(execute(_SIZES)), seconds)
    return places


def _rounds(places: Mapping[int, Place], *, rounds: int, calls: int) -> Rounds:
    """The rounds of each size, which alternate, so that a busy machine slows all of them alike."""
    found: dict[int, list[Times]] = {size: [] for size in places}
    for number in range(1, rounds + 1):
        for size, place in places.items():
            say(f"round {number}, {size:,} relationships")
            use_database(place.database)
            found[size].append(in_process(place.seeded, calls=calls, seed=number))
    return found


def require_room(sizes: Sequence[int], folder: Path) -> None:
    """Raises SystemExit if the disk is too small."""
    wanted = sum(size * (KB_EACH + KB_OF_HISTORY / _one_in(size)) * 1024 for size in sizes) + _WHILE_BUILDING
    free = shutil.disk_usage(folder).free
    if wanted > free:
        raise SystemExit(
            f"That needs {wanted / GB:.0f} GB, and {free / GB:.0f} are free. Try --relationships 100 10000."
        )


def _one_in(size: int) -> int:
    return 1 if size <= ALL_HISTORY_UP_TO else 2


def _times(title: str, how: str, rounds: Rounds) -> Section:
    """The p50 of each call by size, and as a multiple of the smallest size's, round by round."""
    section = Section(title, f"{how} Then the p50 beside that of the fewest relationships, round by round.")
    fewest, first = next(iter(rounds.items()))
    for what in first[0]:
        goal = Goal(MOST_GROWTH) if what in _GOALS else None
        least = [p50(times[what]) for times in first]
        for size, of_size in rounds.items():
            taken = [p50(times[what]) for times in of_size]
            section.figures.append(of_rounds(f"{what}: {size:,} relationships, p50", taken, "ms"))
            if size != fewest:
                section.figures.append(of_ratios(f"{what}: {size:,} / {fewest:,}", taken, least, goal))
    return section


def _room(places: Mapping[int, Place]) -> Section:
    section = Section(
        "Room on the disk",
        f"With indexes. Only the first {EMBEDDED:,} relationships have vectors, and of a million every other one has a "
        "history; the rest is extrapolated.",
    )
    for size, place in places.items():
        at, whole = f"{size:,} relationships", sum(place.tables.values()) / GB
        section.figures.append(Figure(f"{at}: seeded in", place.seconds, "s"))
        section.figures.append(Figure(f"{at}: on the disk", whole, "GB", goal=Goal(MOST_ROOM)))
    section.figures += _of_largest(max(places), places[max(places)].tables)
    return section


def _of_largest(relationships: int, tables: Mapping[str, int]) -> Iterator[Figure]:
    """kB of each relationship, and GB of all with everything that was not seeded."""
    whole = sum(tables.values())
    vectors = tables[_VECTORS] / min(relationships, EMBEDDED)
    history = tables[_HISTORY] * _one_in(relationships) / relationships
    rest = (whole - tables[_VECTORS] - tables[_HISTORY]) / relationships
    read = sum(tables[name] for name in READ_BY_CONTEXTS) / relationships
    yield Figure("each relationship: without history and vectors", rest / 1024, "kB")
    yield Figure("each relationship: of that what contexts read", read / 1024, "kB")
    yield Figure("each relationship: its history", history / 1024, "kB")
    yield Figure("each relationship: its vectors, extrapolated", vectors / 1024, "kB")
    everything = relationships * (rest + history + vectors)
    yield Figure(f"{relationships:,} relationships with all of that", everything / GB, "GB")
