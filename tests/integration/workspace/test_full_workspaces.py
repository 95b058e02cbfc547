"""Workspaces with as many files as are taken: their sessions still end, and documents take no room from them."""

from typing import Any

import pytest
from pytest_django.fixtures import Settings

from relationships.models import Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER
from tests.fixtures.documents import learn
from tests.fixtures.pushes import BLOB, TREE, Pack
from tests.fixtures.workspaces import begin, work
from workspace.errors import WorkspaceFull
from workspace.files import change_files, refresh_generated
from workspace.git.push import RefUpdate, receive_push
from workspace.hot_context import read_hot_context
from workspace.models import MAIN, SessionState, Worker
from workspace.sessions.commands import finish_session
from workspace.store import read_contents
from workspace.trees import entry_of, tree_objects, tree_sha

MOST = 5


def test_a_session_that_fills_its_branch_is_curated_and_merged(
    pair: Relationship, scripted_provider: ScriptedProvider, settings: Settings
) -> None:
    settings.MAX_FILES = MOST
    scripted_provider.otherwise = "Curated."
    for number in range(MOST + 1):
        learn(pair.companion, f"Document {number}.", f"{number}.md")
    session = begin(pair, worker=Worker.EXTERNAL)
    files: dict[str, bytes | None] = {f"{number}.md": b"x" for number in range(MOST)}
    change_files(relationship=pair, changes=files, by=TESTER, branch=session.branch)
    with pytest.raises(WorkspaceFull, match=f"{MOST + 1} files"):
        change_files(relationship=pair, changes={"more.md": b"x"}, by=TESTER, branch=session.branch)
    finish_session(relationship=pair, session_id=session.id, summary="", facts=[], by=TESTER)
    ended = work(pair, session)

    assert ended.state == SessionState.DONE, ended.error
    assert read_hot_context(pair.id)[0] == "Curated.\n"
    assert read_contents(pair.id, MAIN).keys() >= files.keys()


def test_a_push_counts_no_documents(pair: Relationship, settings: Settings) -> None:
    settings.MAX_FILES = MOST
    for number in range(MOST + 1):
        learn(pair.companion, f"Document {number}.", f"{number}.md")
    head = refresh_generated(pair)

    def pushed(count: int) -> str:
        pack = Pack()
        files = {**head.files, **{f"{number}.md": entry_of(b"x") for number in range(count)}}
        pack.add(BLOB, b"x")
        for _, raw in tree_objects(files):
            pack.add(TREE, raw)
        new = pack.commit(tree_sha(files), [head.commit])
        body = pack.push(head.commit, new)
        update = RefUpdate(head.commit, new, "refs/heads/main")
        given: dict[str, Any] = {"relationship": pair, "pack": body[body.index(b"PACK") :], "by": TESTER}
        return receive_push(updates=[update], **given)[update.ref]

    assert pushed(MOST + 1) == f"There would be {MOST + 1} files; {MOST} are kept."
    assert pushed(MOST) == ""
