"""What a clone takes follows from what there is to send: not from how often it is listed, nor from how it is asked for."""

import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.test import Client
from dulwich.protocol import pkt_line

from relationships.models import Relationship
from tests.fixtures.workspaces import whole
from tests.growth import MOST, growth
from workspace.files import open_workspace
from workspace.git.repository import RowObjects
from workspace.identity import RAPPORT, author_of
from workspace.store import NewCommit, keep_commits, make_commit, move_branch
from workspace.trees import Draft, Folders, entry_of, tree_objects, tree_sha

FILES, FEW, MANY = 400, 30, 90
TEST = author_of(RAPPORT)
AT = datetime(2026, 3, 2, 12, tzinfo=UTC)  # commits of one moment that say the same are one


def test_a_long_history_of_many_files_is_not_held_at_once(relationship: Relationship) -> None:
    here = whole(relationship)
    open_workspace(here)
    alike = {f"notes/{number:03}.md": entry_of(b"A note") for number in range(FILES)}

    def peak(count: int) -> int:
        commits = [
            make_commit(
                Draft(alike | {"count.md": entry_of(b"%d" % number)}),
                parents=(),
                author=TEST,
                message="Count",
                at=AT,
            )
            for number in range(count)
        ]
        keep_commits(here, commits)
        tracemalloc.start()
        try:
            assert len(RowObjects(here.id).commits) == count + 1
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)  # imports
    few = peak(FEW)
    assert peak(MANY) < 1.6 * few


def history(here: Relationship, size: int, *, parents: int) -> list[NewCommit]:
    """So many commits, each with the few before it as its parents."""
    commits: list[NewCommit] = []
    for _ in range(size):
        before = tuple(one.commit for one in commits[-parents:])
        commits.append(make_commit(Draft({}), parents=before, author=TEST, message=f"Of {size}", at=AT))
    keep_commits(here, commits)
    return commits


def asked(shas: list[str], *rest: str | None, acks: str = "multi_ack_detailed") -> bytes:
    wants = [f"want {sha}" for sha in shas]
    wants[0] += f" {acks} no-done shallow side-band-64k thin-pack ofs-delta"
    return b"".join(pkt_line(None if line is None else f"{line}\n".encode()) for line in (*wants, *rest))


def all_of_them(shas: list[str]) -> bytes:
    return asked(shas, None, f"have {shas[0]}", None)


def all_its_depth(shas: list[str]) -> bytes:
    return asked(shas[-1:], f"deepen {2**31 - 1}", None, "done")


class Remote:
    def __init__(self, relationship: Relationship, key: str) -> None:
        self.here, self.key = whole(relationship), key
        open_workspace(self.here)

    def fetch(self, commits: list[NewCommit], body: Callable[[list[str]], bytes]) -> bytes:
        """The answer to what `body` makes of the commits' SHA-1s, the last of which main is at."""
        move_branch(self.here, "main", commits[-1], at=AT)
        answer = Client().post(
            f"/git/{self.here.id}.git/git-upload-pack",
            body([one.commit for one in commits]),
            "application/x-git-upload-pack-request",
            headers={"Authorization": f"Bearer {self.key}"},
        )
        return bytes(answer.content)


@pytest.fixture
def remote(relationship: Relationship, api_key: str) -> Remote:
    return Remote(relationship, api_key)


@pytest.mark.parametrize(("body", "parents", "size"), [(all_of_them, 1, 150), (all_its_depth, 16, 300)])
def test_a_fetch_visits_each_commit_once(
    remote: Remote, body: Callable[[list[str]], bytes], parents: int, size: int
) -> None:
    def fetch(commits: list[NewCommit]) -> None:
        assert b"PACK" in remote.fetch(commits, body)

    assert growth(fetch, lambda size: history(remote.here, size, parents=parents), size=size) < MOST


def test_a_depth_is_that_of_the_shortest_way_to_a_commit(remote: Remote) -> None:
    commits = history(remote.here, 9, parents=2)
    told = remote.fetch(commits, lambda shas: asked(shas[-1:], "deepen 3", None, "done"))

    cut = [one.commit for one in commits if b"shallow " + one.commit.encode() in told]
    assert cut == [commits[4].commit, commits[5].commit]  # the parents of the last one's parents


@pytest.mark.parametrize(("have", "ready"), [(1, True), (3, False)])
def test_a_client_is_told_when_it_has_an_ancestor_of_each_commit_that_it_wants(
    remote: Remote, have: int, *, ready: bool
) -> None:
    commits = history(remote.here, 5, parents=1)
    told = remote.fetch(commits, lambda shas: asked([shas[2], shas[4]], None, f"have {shas[have]}", None))

    assert (b" ready\n" in told) == ready


def test_a_client_that_would_be_answered_once_for_each_commit_it_has_is_refused(remote: Remote) -> None:
    commits = history(remote.here, 2, parents=1)

    assert b"in no way that can be read" in remote.fetch(
        commits, lambda shas: asked(shas, None, acks="multi_ack")
    )


def test_a_folder_that_stands_in_many_places_and_trees_is_made_once() -> None:
    known: Folders = {}
    files = {f"{number}/a/b/c.md": entry_of(b"A note") for number in range(9)}
    alike, renamed = files | {"new.md": entry_of(b"")}, files | {"8/a/b/d.md": entry_of(b"A note")}

    assert len(list(tree_objects(files, known))) == len(("b", "a", "0", ""))
    assert [sha for sha, _ in tree_objects(alike, known)] == [tree_sha(alike)]
    assert [sha for sha, _ in tree_objects(renamed, known)] == [sha for sha, _ in tree_objects(renamed)][3:]
