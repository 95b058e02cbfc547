"""An agent's files go with their relationship, wherever it is taken."""

from typing import Any

import pytest

from context.pipeline import build_context
from relationships.models import Relationship
from tests.fixtures.api import TESTER, Api
from tests.fixtures.archives import copied, exported
from tests.fixtures.people import meet
from tests.wire import statements_sent
from upkeep.exporting import FILES_AT_ONCE, files_to_keep
from workspace.files import change_files, list_files, read_file
from workspace.models import Branch

FILES = {
    "memory/hot_context.md": b"Is writing a book about owls.\n",
    "outputs/ångström/猫.md": "línea\r\n".encode(),
    "outputs/picture.png": b"\x89PNG\r\n\x1a\n\x00\xff",
    "outputs/nothing.txt": b"",
    "notes/nul.txt": b"a\x00b",
}


def one(**changed: Any) -> dict[str, Any]:
    return {"path": "a.txt", "content": "a", **changed}


def test_they_come_back_as_they_were_and_chat_is_shown_them(relationship: Relationship) -> None:
    change_files(relationship=relationship, changes=FILES, by=TESTER)
    document = exported(relationship)

    there = copied(relationship)

    assert {row["path"] for row in document["files"]} == set(FILES)  # and none of those that Rapport makes
    assert {path: read_file(there, path).content for path in FILES} == FILES
    assert list_files(there)[0].keys() == list_files(relationship)[0].keys()
    shown = build_context(project_id=there.project_id, relationship_id=there.id, message="Hello")
    assert "Is writing a book about owls." in shown.system
    assert exported(there)["files"] == document["files"]


def test_a_program_stays_one(relationship: Relationship, api: Api) -> None:
    change_files(relationship=relationship, changes=FILES, by=TESTER, can_run={"outputs/nothing.txt": True})

    there = copied(relationship)

    files = api.get(f"/relationships/{there.id}/files").body["files"]
    assert [file["path"] for file in files if file["executable"]] == ["outputs/nothing.txt"]


def test_files_that_were_moved_by_git_before_stay_as_they_are(relationship: Relationship, api: Api) -> None:
    change_files(relationship=relationship, changes=FILES, by=TESTER)
    document = api.get(f"/relationships/{relationship.id}/export").body
    there = meet(relationship.companion, "elsewhere")
    moved = change_files(relationship=there, changes={"outputs/own.md": b"moved"}, by=TESTER)

    assert "file" not in api.post(f"/relationships/{there.id}/import", document).body["imported"]
    assert list_files(there)[1] == moved.commit


@pytest.mark.parametrize(
    ("files", "field"),
    [
        ([one(path="../a")], "files.0.path"),
        ([one(path="memory/entries.md")], "files.0.path"),
        ([one(content="%", encoding="base64")], "files.0.content"),
        ([one(content="a" * 102_401)], "files.0.content"),
        ([one(), one()], "files.1.path"),
        ([one(), one(path="A.txt")], "files"),
        ([one(path="a"), one(path="a/b")], "files"),
        ([one(path="memory/hot_context.md", content="word " * 5000)], "files.0.content"),
    ],
)
def test_a_file_that_can_not_be_stored_is_refused_by_its_field_and_nothing_is_written(
    relationship: Relationship, api: Api, files: list[dict[str, Any]], field: str
) -> None:
    entries = [{"type": "identity", "content": "Lives in Graz"}]
    archive = {"format": "rapport.relationship", "version": 1, "entries": entries, "files": files}

    refused = api.post(f"/relationships/{relationship.id}/import", archive)

    assert refused.status == 422, refused
    assert [line["field"] for line in refused.body["errors"]] == [field]
    assert not Branch.objects.for_relationship(relationship.id).exists()
    assert api.get(f"/relationships/{relationship.id}/entries").body["items"] == []


def test_many_files_are_read_some_at_a_time(relationship: Relationship) -> None:
    change_files(
        relationship=relationship,
        changes={f"notes/{number}.md": f"{number}\n".encode() for number in range(FILES_AT_ONCE)},
        by=TESTER,
    )

    with statements_sent() as sent:
        files = list(files_to_keep(relationship.id, companion_id=relationship.companion_id))
    assert (len(files), len(sent)) == (FILES_AT_ONCE, 3)
