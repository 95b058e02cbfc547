"""What was, over REST: commits, differences, and who wrote a line."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from relationships.models import Relationship
from tests.fixtures.api import TESTER, Api
from workspace import history
from workspace.blame import blame
from workspace.files import change_files, read_file


def test_history_and_differences(api: Api, files: str, relationship: Relationship) -> None:
    base = f"/relationships/{relationship.id}"
    first = api.put(f"{files}/a.md", {"content": "one\ntwo\n"}).body["commit"]
    second = api.put(f"{files}/a.md", {"content": "one\n2\n", "message": "Shorten"}).body["commit"]

    log = api.get(f"{base}/commits").body["items"]
    assert [line["sha"] for line in log[:2]] == [second, first]
    assert log[0]["parents"] == [first] and log[0]["message"] == "Shorten"
    changes = api.get(f"{base}/commits/{second}").body["changes"]
    assert changes[0]["status"] == "changed" and "-two\n+2\n" in changes[0]["text"]
    assert api.get(f"{base}/diff?base={first}&head=main").body["changes"] == changes
    assert api.get(f"{files}/a.md?at={first}").body["content"] == "one\ntwo\n"


def test_a_commit_of_much_is_read_page_by_page(
    api: Api, files: str, relationship: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = f"/relationships/{relationship.id}"
    monkeypatch.setattr(history, "BYTES_A_PAGE", 250)
    changes = [
        {"path": name, "content": name * size}
        for name, size in zip("abcd", (100, 100, 100, 300), strict=True)
    ]
    commit = api.post(files, {"changes": changes}).body["commit"]

    pages, asked = [], "limit=3"
    for _ in range(3):
        page = api.get(f"{base}/commits/{commit}?{asked}").body
        assert api.get(f"{base}/diff?base={page['parents'][0]}&head={commit}&{asked}").body == {
            name: page[name] for name in ("changes", "next_cursor")
        }
        pages.append("".join(change["path"] for change in page["changes"]))
        asked = f"limit=3&cursor={page['next_cursor']}"

    assert pages == ["ab", "c", "d"] and page["next_cursor"] is None


def test_each_line_is_put_down_to_the_commit_that_wrote_it(
    api: Api, files: str, relationship: Relationship
) -> None:
    route = f"/relationships/{relationship.id}/blame"
    first = api.put(f"{files}/1", {"content": "one\ntwo\n"}).body["commit"]
    second = api.put(f"{files}/1", {"content": "zero\none\n2\n", "message": "Count"}).body["commit"]
    api.put(f"{files}/b.md", {"content": "another file"})
    api.put(f"{files}/logo", {"content": "iVBORw0K/w==", "encoding": "base64"})

    with CaptureQueriesContext(connection) as asked:
        hunks = api.get(f"{route}/1").body["hunks"]

    told = [(hunk["commit"]["sha"], hunk["first_line"], hunk["text"]) for hunk in hunks]
    assert told == [(second, 1, "zero\n"), (first, 2, "one\n"), (second, 3, "2\n")]
    assert hunks[0]["commit"]["message"] == "Count" and not hunks[0]["boundary"]
    assert api.get(f"{route}/gone").status == 404
    assert "generated" in api.get(f"{route}/profile/user.yaml").body["detail"]
    assert "not a text file" in api.get(f"{route}/logo").body["detail"]
    assert len(asked) <= 14


def test_blame_looks_back_only_some_versions(
    relationship: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        lines = "".join(f"{at}\n" for at in range(number + 1))
        change_files(relationship=relationship, changes={"a": lines.encode()}, by=TESTER)
    monkeypatch.setattr("workspace.blame.MOST_BYTES", 300)

    hunks = blame(relationship, "main", read_file(relationship, "a"))

    assert "".join(hunk.text for hunk in hunks) == "0\n1\n2\n3\n4\n5\n"
    assert [hunk.boundary for hunk in hunks] == [True, False, False]
