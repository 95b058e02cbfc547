"""Files over REST: written whole or not at all, stale writes told, generated files true at every read."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory.entries.adding import add_entry
from memory.models import EntrySource
from relationships.models import Relationship
from tests.fixtures.api import TESTER, Api
from workspace.files import change_files, read_file
from workspace.models import Blob, Commit
from workspace.store import read_contents


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_written_file_is_read_back_with_its_hash(api: Api, files: str) -> None:
    written = api.put(
        f"{files}/workspace/outputs/plan.md", {"content": "# Plan\n", "message": "Begin a plan"}
    )
    read = api.get(f"{files}/workspace/outputs/plan.md")

    assert written.status == 200 and written.body["changed"]
    assert read.body["content"] == "# Plan\n"
    assert read.headers["ETag"] == f'"{sha("# Plan" + chr(10))}"' == written.headers["ETag"]
    assert read.body["commit"] == written.body["commit"]


def test_bytes_come_back_as_base64(api: Api, files: str) -> None:
    api.put(f"{files}/logo.png", {"content": "iVBORw0K/w==", "encoding": "base64"})
    assert api.get(f"{files}/logo.png").body | {"commit": ""} == {
        "path": "logo.png",
        "sha256": hashlib.sha256(b"\x89PNG\r\n\xff").hexdigest(),
        "size": 7,
        "encoding": "base64",
        "content": "iVBORw0K/w==",
        "commit": "",
        "read_only": False,
    }


def test_a_write_over_a_newer_version_is_412_unless_the_content_is_the_same(api: Api, files: str) -> None:
    api.put(f"{files}/a.md", {"content": "one"})
    api.put(f"{files}/a.md", {"content": "two"})

    stale = api.put(f"{files}/a.md", {"content": "three"}, if_match=f'"{sha("one")}"')
    same = api.put(f"{files}/a.md", {"content": "two"}, if_match=f'"{sha("one")}"')
    fresh = api.put(f"{files}/a.md", {"content": "three"}, if_match=f'"{sha("two")}"')

    assert stale.status == 412 and stale.body["current_sha256"] == sha("two")
    assert same.status == 200 and not same.body["changed"]
    assert fresh.status == 200 and api.get(f"{files}/a.md").body["content"] == "three"


def test_the_same_again_makes_no_commit(api: Api, files: str, relationship: Relationship) -> None:
    first = api.put(f"{files}/a.md", {"content": "one"}).body["commit"]
    assert api.put(f"{files}/a.md", {"content": "one"}).body == {"commit": first, "changed": False}


def test_several_changes_are_one_commit_or_none(api: Api, files: str) -> None:
    api.put(f"{files}/old.md", {"content": "kept"})
    done = api.post(
        files,
        {
            "changes": [{"path": "old.md", "move_to": "new.md"}, {"path": "b.md", "content": "b"}],
            "message": "Tidy",
        },
    )
    refused = api.post(
        files, {"changes": [{"path": "c.md", "content": "c"}, {"path": "not-there.md", "delete": True}]}
    )

    assert done.status == 200, done
    names = [line["path"] for line in api.get(files).body["files"] if not line["read_only"]]
    assert names == ["b.md", "new.md"]
    assert refused.status == 404


@pytest.mark.parametrize(
    "path", ["..%2Fx", "a%00b", "A.MD", "e%CC%81.md", ".git/config", "x" * 1100, "a/" * 61 + "b"]
)
def test_a_path_that_could_not_be_kept_everywhere_is_refused(api: Api, files: str, path: str) -> None:
    api.put(f"{files}/a.md", {"content": "one"})
    refused = api.put(f"{files}/{path}", {"content": "x"})
    assert refused.status in (400, 409, 422), refused


@pytest.mark.parametrize(
    "asked", [b"", b"zzzz", b"0004", b"0032want " + b"1" * 40 + b"\n0000", b"0012command=fetch"]
)
def test_a_fetch_that_asks_for_nothing_of_ours_is_refused(
    api_key: str, relationship: Relationship, asked: bytes
) -> None:
    answer = Client().post(
        f"/git/{relationship.id}.git/git-upload-pack",
        asked,
        "application/x-git-upload-pack-request",
        headers={"Authorization": f"Bearer {api_key}"},
    )
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json"), answer.content


def test_limits_are_reported_with_their_number(api: Api, files: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "MAX_FILE_BYTES", 100)
    monkeypatch.setattr(settings, "MAX_WORKSPACE_BYTES", 250)
    for name in "ab":
        assert api.put(f"{files}/{name}", {"content": "x" * 100}).status == 200

    assert api.put(f"{files}/c", {"content": "x" * 101}).body["limit"] == 100
    assert api.put(f"{files}/c", {"content": "x" * 100}).body["limit"] == 250
    monkeypatch.setattr(settings, "MAX_FILES", 2)
    assert api.put(f"{files}/c", {"content": "x"}).body["limit"] == 2


def test_generated_files_follow_their_source_and_refuse_writes(
    api: Api, files: str, relationship: Relationship
) -> None:
    values = {"type": "preference", "content": "Likes rooibos tea"}
    add_entry(relationship=relationship, values=values, by=TESTER, source=EntrySource.MANUAL)
    api.put(f"/relationships/{relationship.id}/profile", {"city": "Lisbon"})

    assert "Likes rooibos tea" in api.get(f"{files}/memory/entries.md").body["content"]
    assert api.get(f"{files}/profile/user.yaml").body["content"] == "city: Lisbon\n"
    for path in ("memory/entries.md", "profile/user.yaml", "workspace/AGENTS.md", "knowledge/documents/x.md"):
        assert api.put(f"{files}/{path}", {"content": "mine"}).body["type"].endswith("read_only_file")


def test_a_commit_is_two_statements_and_ten_files_are_read_in_one(relationship: Relationship) -> None:
    change_files(
        relationship=relationship, changes={f"{n}.md": str(n).encode() for n in range(10)}, by=TESTER
    )
    with CaptureQueriesContext(connection) as written:
        change_files(relationship=relationship, changes={"3.md": b"other"}, by=TESTER)
    with CaptureQueriesContext(connection) as read:
        contents = read_contents(relationship.id, "main")

    assert len(written) == 2 and len(read) == 1
    assert contents["3.md"] == b"other" and len(contents) == 10


def test_equal_contents_are_kept_once(relationship: Relationship) -> None:
    change_files(relationship=relationship, changes={"a": b"same", "b": b"same"}, by=TESTER)
    assert Blob.objects.for_relationship(relationship.id).count() == 1


@pytest.mark.django_db(transaction=True)
def test_all_concurrent_commits_succeed(relationship: Relationship) -> None:
    def write(place: int) -> None:
        try:
            change_files(relationship=relationship, changes={f"{place}.md": b"x"}, by=TESTER)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(24)))

    assert read_contents(relationship.id, "main").keys() == {f"{place}.md" for place in range(24)}
    assert Commit.objects.for_relationship(relationship.id).count() == 25


def test_checkpoints_bring_files_hot_context_and_memory_back(
    api: Api, files: str, relationship: Relationship
) -> None:
    base = f"/relationships/{relationship.id}"
    values = {"type": "other", "content": "Owns a raven"}
    entry = add_entry(relationship=relationship, values=values, by=TESTER, source=EntrySource.MANUAL)
    api.put(f"{base}/hot-context", {"content": "Before."})
    taken = api.post(f"{base}/checkpoints", {"name": "before the mess"}).body
    api.put(f"{base}/hot-context", {"content": "After."})
    api.put(f"{files}/junk.md", {"content": "junk"})
    api.patch(f"{base}/entries/{entry.id}", {"content": "Owns a crow"})
    later = add_entry(
        relationship=relationship,
        values={"type": "other", "content": "New"},
        by=TESTER,
        source=EntrySource.MANUAL,
    )

    restored = api.post(f"{base}/checkpoints/{taken['id']}/restore", {"memory": True})

    assert restored.status == 200 and restored.body["entries"] == 2, restored
    assert api.get(f"{base}/hot-context").body == {"content": "Before.", "version": 3}
    assert api.get(f"{files}/junk.md").status == 404
    assert api.get(f"{base}/entries/{entry.id}").body["content"] == "Owns a raven"
    assert api.get(f"{base}/entries/{later.id}").body["state"] == "deleted"
    assert Commit.objects.for_relationship(relationship.id).count() >= 5
    assert (
        read_file(relationship, "junk.md", at=api.get(f"{base}/commits").body["items"][1]["sha"]).content
        == b"junk"
    )


def test_hot_context_is_refused_past_700_words_and_its_versions_are_kept(
    api: Api, relationship: Relationship
) -> None:
    base = f"/relationships/{relationship.id}/hot-context"
    first = api.put(base, {"content": "Maya plans a trip."})
    refused = api.put(base, {"content": "word " * 701})
    stale = api.put(base, {"content": "x"}, if_match='"0"')
    api.put(base, {"content": "Maya is back."}, if_match=first.headers["ETag"])

    assert refused.status == 422 and refused.fields == ["content"] and stale.status == 412
    versions = api.get(f"{base}/versions").body["items"]
    assert [line["content"] for line in versions] == ["Maya is back.", "Maya plans a trip."]
    assert all(line["commit"] for line in versions)


@pytest.mark.parametrize("content", ["word " * 701, "茶" * 3000, "x" * 10_000])
def test_a_hot_context_file_has_the_same_limits_and_those_of_a_context(
    api: Api, files: str, content: str
) -> None:
    refused = api.put(f"{files}/memory/hot_context.md", {"content": content})
    assert refused.body["type"].endswith("hot_context_too_long")
    assert api.get(f"{files}/{quote('memory/hot_context.md')}").status == 404


def test_an_executable_stays_one_when_moved_or_rewritten(api: Api, files: str) -> None:
    made = {"path": "run.sh", "content": "#!/bin/sh\n", "executable": True}
    for changes in ([made], [{"path": "run.sh", "move_to": "bin/run.sh"}]):
        assert api.post(files, {"changes": changes}).status == 200
    api.put(f"{files}/bin/run.sh", {"content": "#!/bin/sh\nls\n"})
    api.post(files.replace("/files", "/file-tools"), {
        "name": "memory", "input": {"command": "rename", "old_path": "/memories/bin", "new_path": "/memories/tools"},
    })  # fmt: skip

    listed = api.get(files).body["files"]
    assert [line["path"] for line in listed if line["executable"]] == ["tools/run.sh"]
    again = {"path": "tools/run.sh", "content": "#!/bin/sh\n", "executable": False}
    assert api.post(files, {"changes": [again]}).body["changed"]
    assert not any(line["executable"] for line in api.get(files).body["files"])
