"""Workspaces: reads and commits, compared with SELECT 1; their size; hot context in a context."""

from functools import partial
from itertools import count

from benchmarks.measures.contexts import build_for
from benchmarks.measures.setup import ROUNDS, Compared, Setup, beside_select_one
from benchmarks.report import Figure, Goal, Section, of_ratios
from benchmarks.seed import BY, make_sample
from benchmarks.service import statements
from benchmarks.timing import p50, time_calls
from relationships.models import Relationship
from workspace.files import change_files
from workspace.hot_context import PATH, read_hot_context
from workspace.store import read_contents

FILES, WORKSPACES = 10, 1000
_SIZE = """
SELECT sum(pg_total_relation_size(oid)) / 1048576.0 FROM pg_class WHERE relkind = 'r' AND relname LIKE 'workspace%%'
"""


def workspaces(setup: Setup) -> Section:
    (person,), number = _people(setup, "files", 1), count()
    times = setup.scale.calls // ROUNDS
    calls: dict[str, Compared] = {
        f"all {FILES} files": (lambda: read_contents(person.id, "main"), None, Goal(4)),
        "hot context alone": (lambda: read_hot_context(person.id), None, Goal(2)),
        # Not alternated with the reads: it waits for the disk, after which the processor's caches are cold.
        "a commit": (lambda: _write(person, "3.md", f"version {next(number)}\n"), None, Goal(25)),
    }
    figures = [
        figure for name, call in calls.items() for figure in beside_select_one({name: call}, times=times)
    ]
    return Section(
        "A workspace",
        f"Of {FILES} files: each takes turns with SELECT 1 on one connection, {ROUNDS} rounds of {times} calls.",
        [*figures, _size(setup), *_in_a_context(setup)],
    )


def _people(setup: Setup, name: str, many: int) -> list[Relationship]:
    """New relationships with a workspace of FILES files."""
    people = setup.people(name, count=many)
    lines = "A line.\n" * 100
    for person in people:
        files = {f"{place}.md": f"# File {place}\n{person.id}\n{lines}".encode() for place in range(FILES)}
        change_files(relationship=person, changes={PATH: b"# Hot context\n", **files}, by=BY)
    return people


def _write(person: Relationship, path: str, text: str) -> None:
    change_files(relationship=person, changes={path: text.encode()}, by=BY)


def _size(setup: Setup) -> Figure:
    """MB that WORKSPACES workspaces add to the room's tables and indexes, extrapolated in a small run."""
    many = WORKSPACES if setup.scale.calls > 100 else 20
    before = float(setup.service.ask(_SIZE)[0][0])
    _people(setup, "many", many)
    added = (float(setup.service.ask(_SIZE)[0][0]) - before) * WORKSPACES / many
    return Figure(f"{WORKSPACES} workspaces of {FILES} files", added, "MB", goal=Goal(40))


def _in_a_context(setup: Setup) -> list[Figure]:
    """Compare contexts of two samples, of which one has hot context."""
    plain, hot = make_sample(), make_sample()
    text = "\n".join(f"- They want to see the garden of Lisbon on day {day}." for day in range(45))
    _write(hot, PATH, text)
    asked: list[int] = []
    for person in (plain, hot):
        build_for(person)
        with statements() as seen:
            build_for(person)
        asked.append(len(seen))
    calls = setup.scale.calls // ROUNDS
    both = partial(build_for, plain), partial(build_for, hot)
    rounds = [map(p50, time_calls(*both, times=calls)) for _ in range(ROUNDS)]
    without, with_it = zip(*rounds, strict=True)
    return [
        Figure("statements that hot context adds to a context", asked[1] - asked[0], goal=Goal(0)),
        of_ratios("build_context() with hot context of 500 words / without", with_it, without, Goal(1.05)),
    ]
