"""What a push costs grows as its body does, whatever its objects say of each other."""

import time

import pytest
from django.db import transaction
from django.test import Client
from pytest_django.fixtures import Settings

from relationships.models import Relationship
from tests.fixtures.api import TESTER
from tests.fixtures.pushes import AT, BLOB, Pack
from tests.fixtures.workspaces import whole
from tests.growth import MOST, growth
from workspace.files import change_files, open_workspace
from workspace.git.push import RefUpdate, receive_push
from workspace.git.repository import RowObjects
from workspace.models import Commit, Tree


@pytest.fixture
def head(relationship: Relationship) -> str:
    return open_workspace(whole(relationship)).commit


class Remote:
    """Each push meets the same repository."""

    def __init__(self, relationship: Relationship, key: str) -> None:
        self.relationship, self.key = relationship, key

    def take(self, body: bytes) -> tuple[str, int]:
        """What git says of main, and how many trees there are then."""
        with transaction.atomic():
            answer = Client().post(
                f"/git/{self.relationship.id}.git/git-receive-pack",
                body,
                "application/x-git-receive-pack-request",
                headers={"Authorization": f"Bearer {self.key}"},
            )
            trees = Tree.objects.for_relationship(self.relationship.id).count()
            transaction.set_rollback(True)
        assert answer.status_code == 200, answer.content
        return answer.content.decode(), trees


@pytest.fixture
def remote(relationship: Relationship, api_key: str) -> Remote:
    return Remote(relationship, api_key)


def names(count: int) -> list[str]:
    return [f"n{number:05}" for number in range(count)]


def commits_of_one_tree(head: str, size: int) -> bytes:
    """As many as there are files: what they list is the square."""
    pack = Pack()
    tree = pack.tree(dict.fromkeys(names(size), pack.add(BLOB, b"a")))
    sha = head
    for name in names(size):
        sha = pack.commit(tree, [sha], name)
    return pack.push(head, sha)


def folders_of_one_folder(head: str, size: int, *, leaf: bool = True, times: int = 1) -> bytes:
    """A folder that stands in another under many names, and so on: few objects of very many files."""
    pack = Pack()
    tree = pack.tree(dict.fromkeys(names(size), pack.add(BLOB, b"a")) if leaf else {})
    for _ in range(times):
        tree = pack.tree({}, dict.fromkeys(names(size), tree))
    return pack.push(head, pack.commit(tree, [head]))


def test_many_commits_of_one_tree_cost_as_much_as_they_are_long(remote: Remote, head: str) -> None:
    assert "ok refs/heads/main" in remote.take(commits_of_one_tree(head, 100))[0]
    assert growth(remote.take, lambda size: commits_of_one_tree(head, size), size=150) < MOST


@pytest.mark.parametrize("leaf", [True, False], ids=["files", "empty folders"])
def test_folders_in_folders_are_counted_as_they_are_walked(remote: Remote, head: str, *, leaf: bool) -> None:
    def bomb(size: int) -> bytes:
        return folders_of_one_folder(head, size, leaf=leaf)

    assert growth(remote.take, bomb, size=200) < MOST


@pytest.mark.parametrize(("leaf", "said"), [(True, "1000 are kept"), (False, "is empty")])
def test_a_pack_that_unfolds_without_end_is_refused(
    remote: Remote, head: str, *, leaf: bool, said: str
) -> None:
    """10^40 files, in a body of a few thousand bytes."""
    body = folders_of_one_folder(head, 10, leaf=leaf, times=40)

    assert len(body) < 20_000
    assert said in remote.take(body)[0]


@pytest.mark.parametrize(("files", "deep"), [(100, 1), (10, 50)])
def test_commits_that_list_too_much_together_are_refused_and_nothing_is_written(
    remote: Remote, head: str, settings: Settings, files: int, deep: int
) -> None:
    """A folder that all of them share is listed anew by each, in the rows too. Its folders count, as they are read."""
    settings.MAX_WORKSPACE_BYTES = 100_000
    pack = Pack()
    blob = pack.add(BLOB, b"a")
    below = pack.tree({"a": blob})
    for _ in range(deep):
        below = pack.tree({}, {"a": below})
    shared, sha = pack.tree({}, dict.fromkeys(names(files), below)), head
    for name in names(50):
        sha = pack.commit(pack.tree({name: blob}, {"shared": shared}), [sha])

    told, trees = remote.take(pack.push(head, sha))

    assert "push them in several parts" in told
    assert trees == 1 and Commit.objects.for_relationship(remote.relationship.id).count() == 1


def test_a_file_that_many_trees_have_is_read_once(remote: Remote, head: str) -> None:
    def seconds(size: int) -> float:
        pack = Pack()
        tips, files = [head], dict.fromkeys(names(200), pack.add(BLOB, b"a" * size))
        for number in range(14):  # none of them has another as its parent
            own = {"own": pack.add(BLOB, b"%d" % number)}
            tips.append(pack.commit(pack.tree(files | own), []))
        body = pack.push(head, pack.commit(pack.tree(own), tips))
        started = time.process_time()
        assert "ok refs/heads/main" in remote.take(body)[0]
        return time.process_time() - started

    seconds(1)  # imports
    assert seconds(100_000) < 3 * seconds(1)


@pytest.mark.parametrize("kind", ["headers", "parents"])
def test_what_a_commit_says_is_read_once(relationship: Relationship, remote: Remote, kind: str) -> None:
    """However many lines its headers have, and however many files its parents have together."""
    here = whole(relationship)
    head = change_files(relationship=here, changes={"a.md": b"Not only Rapport's"}, by=TESTER).commit

    def seconds(times: int) -> float:
        pack = Pack()
        blob = pack.add(BLOB, b"a")
        trees = [pack.tree({f"{name}of{tree:02}": blob for name in names(150)}) for tree in range(17)]
        shas, more = [head], "x\n" * 30_000 if kind == "headers" and times > 1 else ""
        for number in range(600 if kind == "parents" else 40):
            parents = shas[-times if kind == "parents" else -1 :]
            shas.append(pack.commit(trees[number % 17], parents, f"{number}", f"{AT}\n{more}committer {AT}"))
        body = pack.push(head, shas[-1])
        started = time.process_time()
        assert "ok refs/heads/main" in remote.take(body)[0]
        return time.process_time() - started

    seconds(1)  # imports
    assert seconds(16) < 3 * seconds(1)


def test_long_commits_are_read_only_when_they_are_needed_and_longer_ones_are_refused(
    relationship: Relationship, remote: Remote, head: str
) -> None:
    pack = Pack()
    tree = pack.tree({"a": pack.add(BLOB, b"a")})
    long = pack.commit(tree, [head], "x" * 60_000)
    longer = pack.commit(tree, [long], "x" * 66_000)
    assert "at most 65536 are kept" in remote.take(pack.push(head, longer))[0]

    own = RefUpdate(head, long, "refs/heads/main")
    body = pack.push(head, long)
    receive_push(relationship=whole(relationship), updates=[own], pack=body[body.index(b"PACK") :], by=TESTER)
    stored = RowObjects(relationship.id)
    assert sum(len(raw or b"") for raw in stored.commits.values()) < 1000
    assert stored.raw(long) == pack.objects[long]
