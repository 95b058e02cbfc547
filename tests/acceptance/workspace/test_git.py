"""Stock git against the real service: clone, fetch, push, and what a push may not bring."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from memory.entries.adding import add_entry
from memory.models import EntrySource
from relationships.models import Relationship
from tests.acceptance.service import LiveService
from tests.acceptance.stock_git import Git
from tests.fixtures.api import TESTER
from tests.fixtures.workspaces import whole
from upkeep.verification import verify
from workspace.blame import blame
from workspace.files import change_files, read_file
from workspace.hot_context import read_hot_context
from workspace.models import Commit, Worker
from workspace.sessions.commands import start_session
from workspace.store import read_contents


@pytest.fixture
def live(live_service: LiveService) -> LiveService:
    return live_service


@pytest.fixture
def relationship(live: LiveService) -> Relationship:
    return whole(live.new_relationships(1)[0])


@pytest.fixture
def address(live: LiveService, relationship: Relationship) -> str:
    return f"{live.web.url.replace('://', f'://git:{live.new_api_key()}@')}/git/{relationship.id}.git"


@pytest.fixture
def clone(address: str, relationship: Relationship, tmp_path: Path) -> Git:
    change_files(relationship=relationship, changes={"notes/a.md": b"one\n", "b.bin": b"\0\1"}, by=TESTER)
    Git(tmp_path)("clone", "-q", address, "clone")
    return Git(tmp_path / "clone")


def test_a_clone_is_the_tree_survives_a_round_trip_and_is_fetched_into(
    clone: Git, relationship: Relationship, address: str, tmp_path: Path
) -> None:
    files = read_contents(relationship.id, "main")
    names = clone("ls-files", "-z").strip("\0").split("\0")

    assert {name: (clone.folder / name).read_bytes() for name in names} == files
    assert "memory/entries.md" in names and clone("fsck", "--strict", "--full") == ""
    Git(tmp_path)("clone", "-q", address, "again")
    assert Git(tmp_path / "again")("rev-parse", "HEAD") == clone("rev-parse", "HEAD")

    other = Git(tmp_path / "other")
    other("init", "-q")
    other("fast-import", "--quiet", data=clone.run("fast-export", "--all").stdout)
    assert other("rev-parse", "main^{tree}") == clone("rev-parse", "HEAD^{tree}")

    values = {"type": "other", "content": "Owns a raven"}
    add_entry(relationship=relationship, values=values, by=TESTER, source=EntrySource.MANUAL)
    clone("pull", "-q", "origin", "main")
    assert "Owns a raven" in (clone.folder / "memory/entries.md").read_text()


def test_what_is_pushed_stands_in_the_rows_and_reaches_chat(clone: Git, relationship: Relationship) -> None:
    clone.commit("notes/a.md", b"one\ntwo\n", "Add two")
    clone.commit("memory/hot_context.md", b"Ann pushed this.\n")
    (clone.folder / "run.sh").write_text("#!/bin/sh\n")
    (clone.folder / "run.sh").chmod(0o755)
    clone("add", "-A")
    clone("commit", "-qm", "A script")
    clone("push", "-q", "origin", "HEAD:main")

    assert read_contents(relationship.id, "main")["notes/a.md"] == b"one\ntwo\n"
    assert read_hot_context(relationship.id) == ("Ann pushed this.\n", 1)
    shas = set(Commit.objects.for_relationship(relationship.id).values_list("sha", flat=True))
    assert set(clone("rev-list", "HEAD").split()) <= shas
    change_files(relationship=relationship, changes={"c.md": b"from here"}, by=TESTER)
    clone("pull", "-q", "--no-rebase", "origin", "main")
    assert (clone.folder / "c.md").read_bytes() == b"from here" and clone("fsck", "--full") == ""


def test_a_merge_is_pushed_and_history_is_never_rewritten(clone: Git, relationship: Relationship) -> None:
    change_files(relationship=relationship, changes={"c.md": b"theirs"}, by=TESTER)
    clone.commit("d.md", b"ours")
    assert "fetch first" in clone.refused()
    clone("pull", "-q", "--no-rebase", "origin", "main")
    clone("push", "-q", "origin", "HEAD:main")
    assert read_contents(relationship.id, "main").keys() >= {"c.md", "d.md"}
    clone("commit", "-q", "--amend", "-m", "another story")
    done = clone.run("push", "-q", "--force", "origin", "HEAD:main")
    assert done.returncode != 0 and b"can't be rewritten" in done.stderr
    assert clone.run("push", "-q", "origin", ":main").returncode != 0
    assert b"only main" in clone.run("push", "-q", "origin", "HEAD:refs/heads/mine").stderr


def test_a_clone_of_the_last_commits_is_pushed_from(
    clone: Git, relationship: Relationship, address: str, tmp_path: Path
) -> None:
    """And one that asks for no contents gets them all the same."""
    for place in range(3):
        clone.commit("notes/a.md", b"%d\n" % place)
    clone("push", "-q", "origin", "HEAD:main")
    Git(tmp_path)("clone", "-q", "--depth", "2", address, "shallow")
    shallow = Git(tmp_path / "shallow")
    assert shallow("rev-list", "--count", "HEAD") == "2"
    shallow.commit("c.md", b"from a shallow clone")
    shallow("push", "-q", "origin", "HEAD:main")

    assert read_contents(relationship.id, "main")["c.md"] == b"from a shallow clone"
    shallow("fetch", "-q", "--unshallow")
    assert shallow("fsck", "--strict", "--full") == ""
    Git(tmp_path).run("clone", "-q", "--filter=blob:none", address, "partial")
    assert (tmp_path / "partial/c.md").read_bytes() == b"from a shallow clone"


def test_blame_is_what_gits_own_says(clone: Git, relationship: Relationship) -> None:
    """Through commits of both sides, a merge, and a line that was moved away and came back."""
    path = "notes/a.md"
    clone.commit(path, b"zero\none\ntwo\nthree\n")
    clone.commit(path, b"zero\none\n2\nthree\nfour\n")
    clone("push", "-q", "origin", "HEAD:main")
    change_files(relationship=relationship, changes={path: b"zero\none\n2\nthree\n"}, by=TESTER)
    change_files(relationship=relationship, changes={path: b"zero!\none\n2\nthree\n"}, by=TESTER)
    clone.commit(path, b"zero\none\n2\nthree\nfour\nfive")
    clone.run("pull", "-q", "--no-rebase", "origin", "main")  # a conflict, which the next commit settles
    clone.commit(path, b"zero!\none\n2\nthree\nfour\nfive")
    clone("push", "-q", "origin", "HEAD:main")

    hunks = blame(relationship, "main", read_file(relationship, path))

    told = [line.split()[0] for line in clone("blame", "-l", "-s", path).splitlines()]
    ours = [hunk.commit.sha for hunk in hunks for _ in hunk.text.splitlines()]
    assert [sha.lstrip("^") for sha in told] == [
        sha[: len(one.lstrip("^"))] for sha, one in zip(ours, told, strict=True)
    ]
    assert "".join(hunk.text for hunk in hunks).encode() == read_contents(relationship.id, "main")[path]
    assert len(set(ours)) >= 4 and not any(hunk.boundary for hunk in hunks)


# path: content, and what is said
REFUSED: dict[str, tuple[bytes, str]] = {
    "memory/entries.md": (b"mine", "entries"),
    "workspace/AGENTS.md": (b"obey", "agents_md"),
    "Notes/a.md": (b"twin", "differ only by case"),
    "e\u0301.md": (b"x", "NFC"),
    "\udcff.md": (b"x", "not UTF-8"),
    "a\\b": (b"x", "backslash"),
    "t\tab.md": (b"x", "control character"),
    "/".join(["d" * 200] * 10): (b"x", "1 to 1024 bytes"),
    "big.bin": (b"x" * 200_000, "200000"),
    "bigger.bin": (b"x" * 3_000_000, "A file has 3000000 bytes; 102400 are kept"),
    "memory/hot_context.md": (b"word " * 701, "701 words"),
}


def test_what_a_push_may_not_bring(clone: Git, relationship: Relationship, live: LiveService) -> None:
    before = read_contents(relationship.id, "main")

    def refused_with(said: str, what: str) -> None:
        clone("commit", "-qm", "change")
        assert said in (told := clone.refused()), (what, told)
        clone("reset", "-q", "--hard", "origin/main")

    for path, (content, said) in REFUSED.items():
        clone.write(path, content)
        clone("add", "-A")
        refused_with(said, path)
    (clone.folder / "link").symlink_to("/etc/passwd")
    clone("add", "-A")
    refused_with("symbolic link", "link")
    clone("update-index", "--add", "--cacheinfo", f"160000,{clone('rev-parse', 'HEAD')},module")
    refused_with("submodule", "module")
    for count, size, said in ((1001, 1, "1000 are kept"), (205, 102_400, "20971520 are kept")):
        for place in range(count):
            clone.write(f"many/{place}", os.urandom(size))
        clone("add", "-A")
        refused_with(said, said)
    blob = clone("rev-parse", "HEAD:b.bin")
    for name in ("..", ".git"):  # no git of today makes such a tree by itself
        tree = clone("mktree", data=f"100644 blob {blob}\t{name}\n".encode())
        commit = clone("commit-tree", tree, "-p", "HEAD", "-m", "out of here")
        done = clone.run("push", "-q", "origin", f"{commit}:refs/heads/main")
        assert done.returncode != 0 and b"the path" in done.stderr, done.stderr

    # 200 MB are refused before they are held.
    clone("config", "core.compression", "0")
    clone.commit("huge.bin", os.urandom(1_000_000) * 200)
    server = psutil.Process(live.web.pid)
    most = max(process.memory_info().rss for process in (server, *server.children(recursive=True)))

    assert "has more than 21971520 bytes. Push it in several parts" in clone.refused()

    after = max(process.memory_info().rss for process in (server, *server.children(recursive=True)))
    assert after - most < 100_000_000
    assert read_contents(relationship.id, "main") == before
    clone("reset", "-q", "--hard", "origin/main")
    clone.commit("large.bin", os.urandom(100_000))
    for place in range(20):  # more than git sends without saying how long it will be
        clone.write(f"large/{place}", os.urandom(100_000))
    clone.commit("c.md", b"c")
    clone("push", "-q", "origin", "HEAD:main")
    assert len(read_contents(relationship.id, "main")["large/7"]) == 100_000


def test_a_push_that_is_too_large_is_told_to_come_in_parts(clone: Git) -> None:
    for part in range(2):  # each could be kept
        clone("rm", "-rqf", "--ignore-unmatch", "parts")
        for place in range(130):
            clone.write(f"parts/{part}-{place}", os.urandom(100_000))
        clone("add", "-A")
        clone("commit", "-qm", "a part")

    assert "has more than 21971520 bytes. Push it in several parts" in clone.refused()
    clone("push", "-q", "origin", "HEAD~1:main")
    clone("push", "-q", "origin", "HEAD:main")


def test_a_workspace_moves_to_another_relationship_that_has_none(
    clone: Git, relationship: Relationship, live: LiveService, address: str
) -> None:
    """With its history; afterwards that is no more rewritten than any other."""
    clone.commit("memory/hot_context.md", b"Ann pushed this.\n")
    other = whole(live.new_relationships(1)[0])
    there = address.replace(str(relationship.id), str(other.id))
    clone("push", "-q", "--force", there, "HEAD:main")

    assert read_contents(other.id, "main").keys() > {"notes/a.md", "b.bin"}
    assert read_hot_context(other.id) == ("Ann pushed this.\n", 1)
    shas = set(Commit.objects.for_relationship(other.id).values_list("sha", flat=True))
    assert set(clone("rev-list", "HEAD").split()) <= shas and not verify(relationship_id=other.id).found
    clone("commit", "-q", "--amend", "-m", "another story")
    assert b"can't be rewritten" in clone.run("push", "-q", "--force", there, "HEAD:main").stderr


def test_pushes_at_once_leave_one_line_of_history(
    address: str, clone: Git, tmp_path: Path, relationship: Relationship
) -> None:
    for place in range(4):
        Git(tmp_path)("clone", "-q", address, f"c{place}")

    def push(place: int) -> None:
        git = Git(tmp_path / f"c{place}")
        git.commit(f"{place}.md", b"x")
        for _ in range(20):
            if git.run("push", "-q", "origin", "HEAD:main").returncode == 0:
                return
            git("pull", "-q", "--rebase", "origin", "main")
        raise AssertionError(f"{place} was never taken")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(push, range(4)))
    assert read_contents(relationship.id, "main").keys() >= {f"{place}.md" for place in range(4)}


def test_a_session_is_worked_at_with_its_own_token(
    live: LiveService, relationship: Relationship, tmp_path: Path
) -> None:
    session, token = start_session(relationship=relationship, task="t", worker=Worker.EXTERNAL, by=TESTER)
    url = live.web.url.replace("://", f"://x:{token}@")
    Git(tmp_path)("clone", "-q", "-b", session.branch, f"{url}/git/{relationship.id}.git", "w")
    work = Git(tmp_path / "w")
    work.commit("profile/user.yaml", b"city: Porto\n")
    work("push", "-q", "origin", f"HEAD:{session.branch}")
    assert read_contents(relationship.id, session.branch)["profile/user.yaml"] == b"city: Porto\n"
    refused = work.run("push", "-q", "origin", "HEAD:main")
    assert refused.returncode != 0 and f"own branch, {session.branch}".encode() in refused.stderr
    assert read_contents(relationship.id, "main")["profile/user.yaml"] != b"city: Porto\n"
    other = live.new_relationships(1)[0]
    assert Git(tmp_path).run("clone", "-q", f"{url}/git/{other.id}.git", "o").returncode != 0
    assert (
        b"could not read Username"
        in Git(tmp_path).run("clone", f"{live.web.url}/git/{other.id}.git", "n").stderr
    )
