"""The file tools of a model where there are many files, and where several hands are at one."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from relationships.models import Relationship
from tests.fixtures.api import TESTER
from tests.fixtures.workspaces import begin, whole
from tests.wire import statements_sent
from workspace.errors import ToolRefused
from workspace.file_tools import FileTools
from workspace.files import change_files, read_file
from workspace.models import MAIN, Worker

WRITERS, LINES = 4, 8


@pytest.mark.parametrize("on_main", [True, False], ids=["main", "a session"])
@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("grep", {"pattern": "nothing of the kind"}, "No line"),
        ("rename", {"old_path": "notes", "new_path": "kept"}, "renamed"),
    ],
)
def test_many_files_are_read_as_one_is(
    relationship: Relationship, name: str, given: dict[str, str], said: str, *, on_main: bool
) -> None:
    here = whole(relationship)

    def statements(count: int) -> int:
        files = {f"notes/{number}.md": b"A note" for number in range(count)}
        change_files(relationship=here, changes=files, by=TESTER)
        branch = MAIN if on_main else begin(here, worker=Worker.EXTERNAL).branch
        tools = FileTools(here, branch, TESTER)
        with statements_sent() as sent:
            assert said in tools.run(name, given)
        if name == "rename" and on_main:
            tools.run("rename", {"old_path": "kept", "new_path": "notes"})
        return len(sent)

    statements(1)  # prepares
    few = statements(2)
    assert statements(40) <= few


def test_grep_counts_the_lines_that_view_shows(relationship: Relationship) -> None:
    here = whole(relationship)
    text = "one\x0c\ntwo\u2028still two\r\nthree\x85still three\n"
    change_files(relationship=here, changes={"a.md": text.encode()}, by=TESTER)
    tools = FileTools(here, MAIN, TESTER)

    assert tools.run("grep", {"pattern": "still"}).splitlines() == [
        *("a.md:2: two", "still two", "a.md:3: three", "still three"),
    ]
    assert "three" in tools.run("view", {"path": "a.md", "view_range": [3, 3]})


@pytest.mark.django_db(transaction=True)
def test_concurrent_edits_of_a_file_lose_no_line(relationship: Relationship) -> None:
    here = whole(relationship)
    change_files(relationship=here, changes={"list.md": b"begin\n"}, by=TESTER)

    def write(writer: int) -> None:
        tools = FileTools(here, MAIN, TESTER)
        try:
            for line in range(LINES):
                _until_taken(tools, f"{writer} {line}")
        finally:
            connection.close()

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))

    lines = read_file(here, "list.md").content.decode().split()
    assert len(lines) == 1 + 2 * WRITERS * LINES


def _until_taken(tools: FileTools, text: str) -> None:
    for _ in range(200):
        try:
            tools.run("insert", {"path": "list.md", "insert_line": 1, "insert_text": text})
        except ToolRefused as error:
            assert "changed in the meantime" in error.detail or "at the same time" in error.detail
        else:
            return
    raise AssertionError(f"{text} was never taken")
