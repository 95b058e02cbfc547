"""Workspaces: reads and commits, compared with SELECT 1; size; hot context in a context; clones, compared with git."""

import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from benchmarks.measures.contexts import build_for
from benchmarks.measures.setup import ROUNDS, Compared, Setup, beside_select_one
from benchmarks.report import Figure, Goal, Section, of_ratios, of_rounds
from benchmarks.seed import BY, make_sample
from benchmarks.service import HOST, statements
from benchmarks.timing import alternate, milliseconds_of, p50, time_calls
from relationships.models import Relationship
from tests.acceptance.stock_git import Git
from workspace.files import change_files
from workspace.hot_context import PATH, read_hot_context
from workspace.store import read_contents

FILES, COMMITS, WORKSPACES = 10, 50, 1000
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
        f"Of {FILES} files: each takes turns with SELECT 1 on one connection, {ROUNDS} rounds of {times} calls. "
        f"Clones with stock git, of {COMMITS} commits, beside clones of an equal bare repository over git "
        "http-backend, in turn.",
        [*figures, _size(setup), *_in_a_context(setup), *_clones(setup)],
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


def _clones(setup: Setup) -> list[Figure]:
    (person,) = _people(setup, "cloned", 1)
    for place in range(COMMITS - 2):
        _write(person, f"{place % FILES}.md", f"Version {place}\n" + "A line.\n" * 100)
    ours = f"http://git:{setup.client.key}@{HOST}:{setup.service.port}/git/{person.id}.git"
    with tempfile.TemporaryDirectory() as folder:
        git = Git(Path(folder))
        git("clone", "-q", "--bare", ours, "bare.git")
        commits = int(git("--git-dir=bare.git", "rev-list", "--count", "HEAD"))
        with _http_backend(git.folder) as theirs:
            clones = [partial(_timed, git, address) for address in (f"{theirs}/bare.git", ours)]
            backend, rapport = alternate(*clones, rounds=3 * setup.scale.rounds)
    return [
        of_rounds(f"git clone of {commits} commits from git http-backend", backend, "ms"),
        of_rounds("git clone of the same from Rapport", rapport, "ms"),
        of_ratios("Rapport / git http-backend", rapport, backend, Goal(2)),
    ]


def _timed(git: Git, address: str) -> float:
    with tempfile.TemporaryDirectory(dir=git.folder) as place:
        return milliseconds_of(lambda: git("clone", "-q", address, f"{place}/clone"))


@contextmanager
def _http_backend(root: Path) -> Iterator[str]:
    """Serve the repositories in `root` by git's own CGI program, and yield the address."""

    def serve(asked: dict[str, Any], start: Callable[..., object]) -> list[bytes]:
        env = {name: value for name, value in asked.items() if isinstance(value, str)} | {
            "GIT_PROJECT_ROOT": str(root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": asked.get("HTTP_GIT_PROTOCOL", ""),
        }
        body = asked["wsgi.input"].read(int(asked.get("CONTENT_LENGTH") or 0))
        done = subprocess.run(["git", "http-backend"], env=env, input=body, capture_output=True, check=True)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = (line.partition(": ") for line in head.decode().splitlines())
        start("200 OK", [(name, value) for name, _, value in headers])
        return [content]

    with make_server(HOST, 0, serve, handler_class=_Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://{HOST}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None: ...
