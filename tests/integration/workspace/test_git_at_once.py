"""Git while others are at the relationship: a push is written by what holds then, a fetch has what it was told of."""

from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.test import Client

from relationships.models import Relationship
from relationships.services.rows import require_lock
from tests.fixtures.api import TESTER
from tests.fixtures.distributed import somebody_waits_for_us
from tests.fixtures.pushes import BLOB, Pack
from tests.fixtures.workspaces import begin, whole
from tests.waiting import wait_until
from workspace.files import change_files, open_workspace
from workspace.git.push import RefUpdate, receive_push
from workspace.git.repository import FetchedRepository
from workspace.identity import RAPPORT, author_of
from workspace.models import Blob, Commit, Worker
from workspace.redaction import redact_workspace
from workspace.store import read_head

pytestmark = pytest.mark.django_db(transaction=True)
MAIN = "refs/heads/main"


def push(relationship: Relationship, pack: Pack, old: str, new: str, ref: str = MAIN) -> str:
    """Why it was refused."""
    body = pack.push(old, new, ref)
    try:
        update = RefUpdate(old, new, ref)
        return receive_push(
            relationship=relationship, updates=[update], pack=body[body.index(b"PACK") :], by=TESTER
        )[ref]
    finally:
        connection.close()


def waits_for_the_lock(pushing: Future[str]) -> bool:
    assert not pushing.done(), pushing.result()
    return somebody_waits_for_us()


def test_while_it_is_checked_nobody_waits_for_it_nor_it_for_anybody(relationship: Relationship) -> None:
    here = whole(relationship)
    head = open_workspace(here).commit
    pack = Pack()
    bad = pack.commit(pack.tree({}, {"empty": pack.tree({})}), [head])
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        require_lock(here.id)
        assert "is empty" in pool.submit(push, here, pack, head, bad).result(timeout=20)


def test_a_push_after_a_faster_one_has_to_fetch_first(relationship: Relationship) -> None:
    here = whole(relationship)
    head = open_workspace(here).commit
    pack = Pack()
    new = pack.commit(pack.tree({"a.md": pack.add(BLOB, b"a")}), [head])
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            require_lock(here.id)
            pushing = pool.submit(push, here, pack, head, new)
            wait_until(lambda: waits_for_the_lock(pushing), what="the push to be checked")
            change_files(relationship=here, changes={"b.md": b"b"}, by=TESTER)
        assert "fetch first" in pushing.result()
    assert not Commit.objects.for_relationship(here.id).filter(sha=new).exists()


def test_a_push_in_rapports_name_is_not_pushed_away(relationship: Relationship) -> None:
    here = whole(relationship)
    head, pack = open_workspace(here).commit, Pack()
    file, name = pack.add(BLOB, b"a"), f"{author_of(RAPPORT)} 1767225600 +0000"
    first = pack.commit(pack.tree({"a.md": file}), [head], author=name)
    other = pack.commit(pack.tree({"b.md": file}), [])

    assert push(here, pack, head, first) == ""
    assert "can't be rewritten" in push(here, pack, first, other)


def test_it_brings_nothing_back_that_was_erased_while_it_was_checked(relationship: Relationship) -> None:
    """On a session's branch, which did not hold the words; the pushed commit rests on one of main that did."""
    here = whole(relationship)
    session = begin(here, worker=Worker.EXTERNAL)
    change_files(relationship=here, changes={"secret.md": b"Keeps a quokka in Porto"}, by=TESTER)
    own, main = read_head(here.id, session.branch), read_head(here.id, "main")
    assert own and main
    pack, ref = Pack(), f"refs/heads/{session.branch}"
    new = pack.commit(main.tree, [own.commit, main.commit])
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            require_lock(here.id)
            pushing = pool.submit(push, here, pack, own.commit, new, ref)
            wait_until(lambda: waits_for_the_lock(pushing), what="the push to be checked")
            redact_workspace(here.id, ["Keeps a quokka in Porto"])
        assert "does not exist" in pushing.result()
    contents = Blob.objects.for_relationship(here.id).values_list("content", flat=True)
    assert not any(b"quokka" in bytes(content) for content in contents)


def test_a_branch_whose_commit_was_erased_since_it_was_read_is_not_offered(
    relationship: Relationship,
) -> None:
    here = whole(relationship)
    open_workspace(here)
    repository = FetchedRepository(here)
    del repository.rows.commits[repository.heads["main"]]

    assert repository.get_refs() == {}


def test_the_advertised_commit_of_a_branch_can_be_fetched(relationship: Relationship, api_key: str) -> None:
    here, git, key = whole(relationship), Client(), {"Authorization": f"Bearer {api_key}"}
    change_files(relationship=here, changes={"a.md": b"a"}, by=TESTER)
    told = git.get(f"/git/{here.id}.git/info/refs?service=git-upload-pack", headers=key).content
    head = read_head(here.id, "main")
    assert head and head.commit.encode() in told
    change_files(relationship=here, changes={"b.md": b"b"}, by=TESTER)
    want = f"want {head.commit} side-band-64k thin-pack ofs-delta\n"
    asked = f"{len(want) + 4:04x}{want}00000009done\n".encode()
    place, form = f"/git/{here.id}.git/git-upload-pack", "application/x-git-upload-pack-request"
    answer = git.post(place, asked, form, headers=key)
    assert answer.status_code == 200 and b"PACK" in answer.content, answer.content
    missing = asked.replace(head.commit.encode(), b"1" * 40)
    assert git.post(place, missing, form, headers=key).status_code == 422
