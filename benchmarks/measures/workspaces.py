"""Workspaces: reads and commits, compared with SELECT 1; and their size."""

from itertools import count

from benchmarks.measures.setup import ROUNDS, Compared, Setup, beside_select_one
from benchmarks.report import Figure, Goal, Section
from benchmarks.seed import BY
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

    def commit() -> None:
        change_files(relationship=person, changes={"3.md": f"version {next(number)}\n".encode()}, by=BY)

    calls: dict[str, Compared] = {
        f"all {FILES} files": (lambda: read_contents(person.id, "main"), None, Goal(4)),
        "hot context alone": (lambda: read_hot_context(person.id), None, Goal(2)),
        # Not alternated with the reads: it waits for the disk, after which the processor's caches are cold.
        "a commit": (commit, None, Goal(25)),
    }
    figures = [
        figure for name, call in calls.items() for figure in beside_select_one({name: call}, times=times)
    ]
    return Section(
        "A workspace",
        f"Of {FILES} files: each takes turns with SELECT 1 on one connection, {ROUNDS} rounds of {times} calls.",
        [*figures, _size(setup)],
    )


def _people(setup: Setup, name: str, many: int) -> list[Relationship]:
    """New relationships with a workspace of FILES files."""
    people = setup.people(name, count=many)
    lines = "A line.\n" * 100
    for person in people:
        files = {f"{place}.md": f"# File {place}\n{person.id}\n{lines}".encode() for place in range(FILES)}
        change_files(relationship=person, changes={PATH: b"# Hot context\n", **files}, by=BY)
    return people


def _size(setup: Setup) -> Figure:
    """MB that WORKSPACES workspaces add to the room's tables and indexes, extrapolated in a small run."""
    many = WORKSPACES if setup.scale.calls > 100 else 20
    before = float(setup.service.ask(_SIZE)[0][0])
    _people(setup, "many", many)
    added = (float(setup.service.ask(_SIZE)[0][0]) - before) * WORKSPACES / many
    return Figure(f"{WORKSPACES} workspaces of {FILES} files", added, "MB", goal=Goal(40))
