"""A real child process that speaks JSON lines."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.peers.systems.base import House, NotThere
from benchmarks.peers.systems.hosted import Child, Failed, Hosted

CHILD = "tests.unit.benchmarks.peers.systems.echo"


@pytest.fixture
def child(tmp_path: Path) -> Iterator[Child]:
    child = Child([sys.executable, "-m", CHILD], {"PATH": "/usr/bin:/bin"}, tmp_path / "child.log")
    yield child
    child.end(hard=True)


def test_a_call_gives_what_the_child_answers(child: Child) -> None:
    assert child.call("fetch", user="maya", question="tea?", seconds=20) == ["maya", "tea?"]


def test_what_is_raised_there_is_raised_here(child: Child) -> None:
    with pytest.raises(Failed, match="ValueError: no room"):
        child.call("hand_over", user="maya", messages=[], at=None, key=None, seconds=20)


def test_a_verb_that_is_not_there_says_so(child: Child) -> None:
    with pytest.raises(NotThere, match=r"^it has no purge"):
        child.call("purge", seconds=20)


def test_who_waits_for_a_child_that_is_killed_is_told(child: Child) -> None:
    child.call("fetch", user="maya", question="tea?", seconds=20)
    child.process.kill()
    child.process.wait()

    with pytest.raises(Failed):
        child.call("fetch", user="maya", question="tea?", seconds=20)


def test_what_the_children_say_is_kept_below_the_folder_that_is_searched(tmp_path: Path) -> None:
    class Echoing(Hosted):
        name, title, module, python, count = "echo", "Echo", CHILD, Path(sys.executable), 1

        def version(self) -> str:
            return "1"

        def settings(self) -> dict[str, str]:
            return {}

        def _make_database(self) -> str:
            return "postgresql://nowhere/echo"

    (tmp_path / "own").mkdir()
    system = Echoing()
    system.start(House("postgresql://nowhere", tmp_path, tmp_path / "own", "http://nowhere/v1"))
    system.kill()

    assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == ["children.log"]
    assert system.stores().folders == [tmp_path / "own"]
    assert (tmp_path / "own" / "children.log").exists()
