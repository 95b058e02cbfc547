"""Erasure: what is left of somebody's words after "delete this person", and after the system's own purge."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as values
from statistics import median
from string import ascii_lowercase
from time import perf_counter
from typing import NamedTuple

from benchmarks.peers.field import Field
from benchmarks.peers.findings import Finding, Goal, Line, Rounds
from benchmarks.peers.measures.clients import ours, storing
from benchmarks.peers.measures.remains import files_below, files_of_database, in_files, in_tables
from benchmarks.peers.stories import Story, book_of, life_stories, turn_of
from benchmarks.peers.systems.base import NotThere, System
from benchmarks.peers.words import Words

PEOPLE = 6  # in each crowd
_PATIENCE_SECONDS = 60.0
_MORE_TO_DELETE = (
    "Rapport deletes, over HTTP and in one transaction, every copy: entries, their history, messages, prompts "
    "and answers."
)


class Stems(NamedTuple):
    """What begins every word of those who are erased, and of those who stay. The server's log is everybody's, so each
    system has stems of its own."""

    go: str
    stay: str

    @classmethod
    def of(cls, place: int) -> "Stems":
        return cls(f"qx{ascii_lowercase[place]}go", f"qx{ascii_lowercase[place]}stay")


@dataclass(slots=True)
class Left:
    """How often words of the erased stand somewhere; as text, why there is no such number."""

    before: int = 0  # in the tables and files before the deletion: so the search finds what is there
    kept: float = 0.0  # of the words of those who stay, in percent of what stood in the tables before
    tables: int = 0
    files: int = 0
    raw: int = 0
    purged: Rounds = "no purge of its own"
    milliseconds: list[float] = values(default_factory=list)  # of each deletion
    where: dict[str, int] = values(default_factory=dict)


def measure(field: Field) -> Finding:
    left: dict[str, Left] = {}
    failures: list[str] = []
    for place, make in enumerate(storing(field)):
        name = str(getattr(make, "name", make))
        try:
            with field.running(make) as system:
                field.say(f"erasure: {system.name}")
                left[system.name] = _erase(field, system, Stems.of(place))
        except Exception as failure:  # a peer's own error is a result of the measure, not its end
            failures.append(f"{name}: {type(failure).__name__}: {failure}"[:300])
    return _finding(left, ours(field, left), failures)


def _erase(field: Field, system: System, stems: Stems) -> Left:
    """Two crowds tell their stories; one is erased, the other stays."""
    count = field.scale.of(PEOPLE, at_least=3)
    go, stay = (
        life_stories(count, seed=f"{stem}-{system.name}", words=Words(stem, stem=stem)) for stem in stems
    )
    for stories in (go, stay):
        _tell(field, system, stories)
    left = Left(before=_total(_in_tables(system, stems.go)), kept=_total(_in_tables(system, stems.stay)))
    for story in go:
        began = perf_counter()
        system.delete_person(story.user)
        left.milliseconds.append((perf_counter() - began) * 1000)
    _look(field, system, stems, left)
    return left


def _look(field: Field, system: System, stems: Stems, left: Left) -> None:
    tables, files = _in_tables(system, stems.go), _in_folders(system, stems.go)
    left.tables, left.files, left.where = _total(tables), _total(files), tables | files
    left.kept = 100 * _total(_in_tables(system, stems.stay)) / max(1, left.kept)
    left.raw = _total(_in_raw_files(field, system, stems.go))
    try:
        system.purge()
    except NotThere as missing:
        left.purged = str(missing)
    else:
        left.purged = [float(_total(_in_raw_files(field, system, stems.go)))]


def _tell(field: Field, system: System, stories: Sequence[Story]) -> None:
    """Told to the end, and used: each person asks as often as something changed."""
    field.model.teach(book_of(told for story in stories for told in story.told))
    for story in stories:
        for told in story.told:
            system.hand_over(story.user, turn_of(told))
    system.settle(_PATIENCE_SECONDS)
    for story in stories:
        for told in story.changes:
            system.fetch(story.user, told.question)


def _in_tables(system: System, stem: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for url in system.stores().database_urls:
        found |= in_tables(url, stem)
    return found


def _in_folders(system: System, stem: str) -> dict[str, int]:
    """By the path below the folder: files of the same name are not taken for each other."""
    return {
        str(file.relative_to(folder)): count
        for folder in system.stores().folders
        for file, count in in_files(files_below(folder), stem).items()
    }


def _in_raw_files(field: Field, system: System, stem: str) -> dict[str, int]:
    """The server's own files, and the system's."""
    stores = system.stores()
    files = files_of_database(stores.database_urls, field.house.data_dir) + files_below(*stores.folders)
    return {str(file): count for file, count in in_files(files, stem).items()}


def _total(found: Mapping[str, int]) -> int:
    return sum(found.values())


def _finding(left: Mapping[str, Left], mine: Sequence[Left], failures: Sequence[str]) -> Finding:
    """`mine`: of Rapport's systems; a goal takes the worst of them."""
    purged = [found.purged[0] for found in mine if not isinstance(found.purged, str)]
    return Finding(
        "erasure",
        "Erasure",
        "One pass. Two crowds of people tell their lives, with all their changes, and ask. Each person of one crowd is "
        "then deleted by the documented call. At once every row of every table of the system's database is searched, "
        "as in a dump, for the made-up words that only they used, and every byte of every file that the system keeps, "
        "its log included; then the raw files of the PostgreSQL server that may hold something of it (its database, "
        "the shared log), before and after the system's own purge. Counted is how often such a word stands there; what "
        "PostgreSQL has compressed can't be found in raw files, in tables it can.",
        lines=_lines(left),
        goals=[
            Goal(
                "left over in tables and files, at once",
                max((float(found.tables + found.files) for found in mine), default=None),
                0.0,
            ),
            Goal(
                "left over in raw files, after the purge",
                max(purged) if purged and len(purged) == len(mine) else None,
                0.0,
            ),
        ],
        remarks=[*failures, *_remarks(left)],
    )


def _lines(left: Mapping[str, Left]) -> list[Line]:
    def values(pick: Callable[[Left], Rounds]) -> dict[str, Rounds]:
        return {name: pick(found) for name, found in left.items()}

    return [
        Line("words in the tables before", "", values(lambda found: [float(found.before)]), better=None),
        Line("left over in tables, at once", "", values(lambda found: [float(found.tables)])),
        Line("left over in files, at once", "", values(lambda found: [float(found.files)])),
        Line(
            "words of the others still in the tables", "%", values(lambda found: [found.kept]), better="more"
        ),
        Line("in raw files, before a purge", "", values(lambda found: [float(found.raw)]), better=None),
        Line("left over in raw files, after its own purge", "", values(lambda found: found.purged)),
        Line(
            "a deletion takes", "ms", values(lambda found: [median(found.milliseconds)]), why=_MORE_TO_DELETE
        ),
    ]


def _remarks(left: Mapping[str, Left]) -> list[str]:
    return [
        f"{name}: left over in "
        + ", ".join(f"{place} ({count})" for place, count in sorted(found.where.items()))
        for name, found in left.items()
        if found.where
    ]
