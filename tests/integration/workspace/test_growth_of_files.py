"""What is done to a file takes time that grows with it, whatever stands in it."""

import hashlib
import tracemalloc
from uuid import UUID

import pytest
from django.utils import timezone

from relationships.models import Relationship
from tests.fixtures.api import TESTER, Api
from tests.fixtures.workspaces import whole
from tests.growth import MOST, growth
from tests.wire import statements_sent
from workspace.errors import ToolRefused
from workspace.file_tools import MOST_HITS, FileTools
from workspace.files import change_files
from workspace.forgettable import ForgettableFiles
from workspace.generated import _file_name as file_name
from workspace.models import MAIN


def written(here: Relationship, path: str, text: str) -> str:
    change_files(relationship=here, changes={path: text.encode()}, by=TESTER)
    return path


def refused(here: Relationship, path: str, text: str) -> str:
    with pytest.raises(ToolRefused) as why:
        FileTools(here, MAIN, TESTER).run("str_replace", {"path": path, "old_str": text, "new_str": "b"})
    return str(why.value)


def test_a_text_that_is_there_too_often_is_soon_refused(relationship: Relationship) -> None:
    here = whole(relationship)
    assert "`aa` in lines: 1, 1, 3. " in refused(here, written(here, "few.md", "aaa\nba\naa"), "aa")

    lines = growth(
        lambda path: refused(here, path, "\n"),
        lambda size: written(here, f"{size}.md", "\n" * size),
        size=25_000,
    )
    assert lines < MOST
    assert f"{MOST_HITS}, and more. " in refused(here, written(here, "many.md", "\n" * 1000), "\n")


def test_lines_that_are_found_too_often_are_counted_without_being_held(relationship: Relationship) -> None:
    here = whole(relationship)

    def peak(folder: str, times: int) -> int:
        texts = {f"{folder}/{number}.md": b"Tea\n" * 20_000 + b"%d" % number for number in range(times)}
        change_files(relationship=here, changes=texts, by=TESTER)
        tracemalloc.start()
        try:
            told = FileTools(here, MAIN, TESTER).run("grep", {"pattern": "TEA", "path": folder})
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            assert told.startswith(f"{folder}/0.md:1: Tea\n")
            assert told.endswith(f"... and {20_000 * times - MOST_HITS} more")

    peak("first", 1)  # imports
    assert peak("many", 8) < 2 * peak("few", 2)


def test_many_files_are_moved_with_as_many_statements_as_one(
    api: Api, relationship: Relationship, files: str
) -> None:
    here = whole(relationship)

    def statements(folder: str, times: int) -> int:
        paths = [f"{folder}/{number}.md" for number in range(times)]
        change_files(relationship=here, changes={path: path.encode() for path in paths}, by=TESTER)
        moves = [{"path": path, "move_to": f"tools/{path}"} for path in paths]
        with statements_sent() as sent:
            assert api.post(files, {"changes": moves}).status == 200
        back = [{"path": move["move_to"], "move_to": move["path"]} for move in moves]
        with statements_sent() as sent_back:
            assert api.post(files, {"changes": back}).status == 200
        return len(sent) + len(sent_back)

    statements("first", 1)
    assert statements("many", 20) == statements("one", 1)


def test_the_sentences_of_a_file_are_found_by_reading_it_once(relationship: Relationship) -> None:
    here = whole(relationship)

    def likes(size: int) -> list[UUID]:
        text = "".join(f"I like tea number {number} of {size}.\n" for number in range(size))
        written(here, f"{size}.md", text)
        digest = hashlib.sha256(text.encode()).digest()[:12]
        return [UUID(bytes=digest + number.to_bytes(4)) for number in range(size)]

    def hidden(ids: list[UUID]) -> int:
        return len(ForgettableFiles().hide(here, ids, now=timezone.now()))

    assert hidden(likes(3)) == 3
    assert growth(hidden, likes, size=200) < MOST


def test_documents_of_one_name_are_numbered_in_time_that_grows_with_them() -> None:
    def names(count: int) -> list[str]:
        taken: dict[str, int] = {}
        return [file_name("Handbook.md", taken) for _ in range(count)]

    assert names(3) == ["Handbook.md", "Handbook (2).md", "Handbook (3).md"]
    assert growth(names, lambda size: size, size=400) < MOST
