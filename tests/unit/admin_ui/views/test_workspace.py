"""What an operator sees and does of an agent's workspace."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from admin_ui.views import workspace
from relationships.models import Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER
from tests.fixtures.markup import squeezed
from tests.fixtures.workspaces import whole, work
from workspace.checkpoints import take_checkpoint
from workspace.files import change_files
from workspace.hot_context import read_hot_context
from workspace.models import AgentSession, Checkpoint, HeldChange, Tool, Worker
from workspace.sessions.commands import finish_session, start_session
from workspace.store import read_contents


@pytest.fixture
def here(relationship: Relationship) -> Relationship:
    change_files(relationship=whole(relationship), changes={"plan.md": b"one\n"}, by=TESTER)
    return whole(relationship)


def page(name: str, here: Relationship, **more: object) -> str:
    return reverse(f"admin_ui:relationship_{name}", kwargs={"relationship_id": here.id, **more})


def test_hot_context_is_edited_and_too_much_of_it_refused(owner: Client, here: Relationship) -> None:
    refused = owner.post(page("hot_context", here), {"content": "word " * 701, "version": "0"})
    owner.post(page("hot_context", here), {"content": "Maya is in Porto.", "version": "0"})
    stale = owner.post(page("hot_context", here), {"content": "Not seen.", "version": "0"})

    assert (refused.status_code, stale.status_code) == (422, 409)
    assert read_hot_context(here.id) == ("Maya is in Porto.", 1)
    assert "Maya is in Porto." in owner.get(page("workspace", here)).content.decode()


def test_a_checkpoint_is_taken_and_restored(owner: Client, here: Relationship) -> None:
    owner.post(page("checkpoints", here), {"name": "before"})
    change_files(relationship=here, changes={"plan.md": b"two\n"}, by=TESTER)
    owner.post(page("checkpoints", here), {"checkpoint": Checkpoint.objects.get(name="before").id})

    assert read_contents(here.id, "main")["plan.md"] == b"one\n"
    history = owner.get(page("file", here) + "?path=plan.md").content.decode()
    assert "+two" in history and "Restore before" in history


def test_of_a_checkpoints_name_as_much_is_kept_as_there_is_room_for(
    owner: Client, here: Relationship
) -> None:
    owner.post(page("checkpoints", here), {"name": "n" * 400})

    assert Checkpoint.objects.get().name == "n" * 200


def test_a_branch_is_called_what_its_session_is_to_do(owner: Client, here: Relationship) -> None:
    session, _ = start_session(relationship=here, task="Plan a trip", worker=Worker.EXTERNAL, by=TESTER)

    shown = owner.get(page("workspace", here) + f"?branch={session.branch}").content.decode()

    assert "branch <bdi>Plan a trip</bdi>" in shown
    assert f">{session.branch}<" not in shown


def test_what_a_merge_left_to_a_person_is_counted_on_the_overview(owner: Client, here: Relationship) -> None:
    tile = re.compile(r"Awaiting review</span>\s*<strong>(\d+)<")
    before = tile.findall(squeezed(owner.get("/admin-ui/")))
    HeldChange.objects.create(**here.owner, session_id=here.id, kind=HeldChange.CONFLICT, path="a.md")

    assert (before, tile.findall(squeezed(owner.get("/admin-ui/")))) == (["0"], ["1"])
    assert str(here.id) in owner.get("/admin-ui/relationships/?waits=1").content.decode()


def test_a_tool_that_an_agent_wrote_is_approved_where_it_is_read_on_main(
    owner: Client, here: Relationship
) -> None:
    spec = b"description: Rolls dice\nendpoint: https://example.org/dice\n"
    change_files(relationship=here, changes={"tools/dice/spec.yaml": spec}, by=TESTER)
    session, _ = start_session(relationship=here, task="Play", worker=Worker.EXTERNAL, by=TESTER)

    on_main = owner.get(page("workspace", here)).content.decode()
    on_branch = owner.get(page("workspace", here) + f"?branch={session.branch}").content.decode()

    assert "Approve<span" in on_main
    assert "tools/dice/spec.yaml" in on_branch
    assert "Approve<span" not in on_branch


def test_a_session_to_review_leads_to_the_changes_and_shows_its_whole_task(
    owner: Client, here: Relationship
) -> None:
    task = f"Plan a trip. {'Walk. ' * 40}And then home."
    session, _ = start_session(relationship=here, task=task, worker=Worker.EXTERNAL, by=TESTER)
    at = page("agent_session", here, session_id=session.id)
    running = owner.get(at).content.decode()
    AgentSession.objects.filter(id=session.id).update(state="needs_review")

    shown = owner.get(at).content.decode()

    assert task in shown
    assert "Review the changes" in shown and "Review the changes" not in running


def test_a_checkpoint_of_a_session_leads_to_it(owner: Client, here: Relationship) -> None:
    session, _ = start_session(relationship=here, task="Plan a trip", worker=Worker.EXTERNAL, by=TESTER)
    take_checkpoint(relationship=here, name="merged", by=TESTER, session_id=session.id)

    shown = owner.get(page("file_history", here)).content.decode()

    assert page("agent_session", here, session_id=session.id) in shown
    assert "<bdi>Plan a trip</bdi></a>" in shown


def test_both_sides_of_a_conflict_are_shown_and_one_is_taken(owner: Client, here: Relationship) -> None:
    session, _ = start_session(relationship=here, task="t", worker=Worker.EXTERNAL, by=TESTER)
    change_files(relationship=here, changes={"plan.md.conflict": b"zwei\n"}, by=TESTER)
    held = HeldChange.objects.create(
        relationship=here,
        project_id=here.project_id,
        session_id=session.id,
        kind="conflict",
        path="plan.md",
        kept_as="plan.md.conflict",
    )
    shown = owner.get(page("workspace", here)).content.decode()
    owner.post(page("decide_change", here, change_id=held.id), {"do": "accept"})

    assert "<del>one\n</del>" in shown and "<ins>zwei\n</ins>" in shown
    assert read_contents(here.id, "main")["plan.md"] == b"zwei\n"


@pytest.mark.parametrize(
    ("theirs", "ours", "cells"),
    [
        (None, b"ours\n", ['<pre dir="auto">ours\n</pre>', "deleted"]),
        (b"theirs\n", None, ["deleted", '<pre dir="auto">theirs\n</pre>']),
    ],
    ids=["deleted by the session", "deleted meanwhile"],
)
def test_of_a_deletion_against_a_change_each_side_is_told(
    owner: Client,
    here: Relationship,
    scripted_provider: ScriptedProvider,
    theirs: bytes | None,
    ours: bytes | None,
    cells: list[str],
) -> None:
    scripted_provider.otherwise = "Curated."
    session, _ = start_session(relationship=here, task="t", worker=Worker.EXTERNAL, by=TESTER)
    change_files(relationship=here, changes={"plan.md": theirs}, by=TESTER, branch=session.branch)
    change_files(relationship=here, changes={"plan.md": ours}, by=TESTER)
    finish_session(relationship=here, session_id=session.id, summary="", facts=[], by=TESTER)
    work(here, session)

    with CaptureQueriesContext(connection) as asked:
        shown = owner.get(page("workspace", here)).content.decode()
    owner.post(page("decide_change", here, change_id=HeldChange.objects.get().id), {"do": "accept"})

    table = shown[shown.index('class="two-sides"') :]
    assert re.findall(r"<td.*?>\s*(.*?)\s*</td>", table, re.DOTALL)[:2] == cells
    assert read_contents(here.id, "main").get("plan.md") == theirs
    assert len(asked) <= 16


def test_generated_files_are_listed_before_anything_is_written(
    owner: Client, relationship: Relationship
) -> None:
    shown = owner.get(page("workspace", relationship)).content.decode()

    assert "memory/entries.md" in shown and "profile/user.yaml" in shown
    assert shown.count(">generated</span>") == 2


def test_a_file_is_shown_with_the_commit_of_each_line(owner: Client, here: Relationship) -> None:
    change_files(relationship=here, changes={"plan.md": b"one\n<two>\n"}, by=TESTER, message="Add two")

    shown = owner.get(page("file", here) + "?path=plan.md&view=blame").content.decode()

    rows = re.findall(r"<tr>(.*?)</tr>", shown[shown.index('class="blame"') :], re.DOTALL)[1:]
    assert len(rows) == 2 and ">Add two</bdi></a>" in rows[1]
    assert '<pre dir="auto">one\n</pre>' in rows[0] and "&lt;two&gt;" in rows[1]
    assert "view=blame" in owner.get(page("file", here) + "?path=plan.md").content.decode()


def test_a_tool_that_an_agent_wrote_is_approved_or_refused_with_the_reason(
    owner: Client, viewer: Client, here: Relationship
) -> None:
    spec = b"name: dice\ndescription: Rolls dice\nendpoint: https://example.org/dice\n"
    written = {"tools/dice/spec.yaml": spec, "tools/lost/spec.yaml": b"description: No endpoint\n"}
    change_files(relationship=here, changes=written, by=TESTER)
    approve = page("approve_tool", here)

    forbidden = viewer.post(approve, {"path": "tools/dice/spec.yaml"})
    owner.post(approve, {"path": "tools/dice/spec.yaml"})
    owner.post(approve, {"path": "tools/lost/spec.yaml"})
    owner.post(approve, {"path": "plan.md"})
    shown = owner.get(page("workspace", here)).content.decode()

    assert forbidden.status_code == 403
    assert [(tool.name, tool.spec["endpoint"]) for tool in Tool.objects.all()] == [
        ("dice", "https://example.org/dice")
    ]
    assert "Rolls dice" in shown and "Endpoint" in shown and "not approved" in shown


def test_a_tool_that_would_send_secrets_is_approved_by_owners_alone(
    owner: Client, editor: Client, here: Relationship
) -> None:
    spec = b"description: Rolls dice\nendpoint: https://example.org/\nheaders: {X-Key: '{{KEY}}'}\n"
    change_files(relationship=here, changes={"tools/dice/spec.yaml": spec}, by=TESTER)
    approve, sent = page("approve_tool", here), {"path": "tools/dice/spec.yaml"}

    refused = editor.post(approve, sent, follow=True)

    assert "Not approved. A tool that sends secrets needs" in refused.content.decode()
    assert not Tool.objects.exists()
    owner.post(approve, sent)
    assert Tool.objects.get().name == "dice"


def test_a_long_history_is_counted_and_goes_on_on_the_next_page(owner: Client, here: Relationship) -> None:
    for number in range(50):
        change_files(
            relationship=here, changes={"plan.md": f"{number}\n".encode()}, by=TESTER, message=f"No. {number}"
        )

    first = owner.get(page("file_history", here)).content.decode()
    second = owner.get(page("file_history", here) + "?page=2").content.decode()

    assert "52 commits" in first and "No. 49<" in first and 'rel="next"' in first
    assert "No. 49<" not in second and 'rel="prev"' in second


def test_sessions_and_checkpoints_are_counted_and_go_on_on_the_next_page(
    owner: Client, here: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        start_session(relationship=here, task=f"Task {number}", worker=Worker.EXTERNAL, by=TESTER)
        take_checkpoint(relationship=here, name=f"Point {number}", by=TESTER)
    monkeypatch.setattr(workspace, "SHOWN", 2)

    def shown(address: str) -> str:
        return owner.get(address).content.decode()

    sessions, older = shown(page("workspace", here)), shown(page("workspace", here) + "?sessions=2")
    assert "3 sessions" in sessions and "?sessions=2" in sessions and "Task 0</a>" not in sessions
    assert "Task 0</a>" in older and "Task 2</a>" not in older
    points, beyond = shown(page("file_history", here)), shown(page("file_history", here) + "?checkpoints=9")
    assert "checkpoints</span>" in points and "?checkpoints=2" in points
    assert "Point 0" not in points and "Point 2" in points
    assert "Point 2" in beyond and "No checkpoints yet" not in beyond, "a page that is not there is the first"


def test_a_commit_of_many_files_goes_on_on_the_next_page(owner: Client, here: Relationship) -> None:
    """A push may hold 20 MB: the browser gets them page by page, and of a long file the first lines."""
    files = {f"notes/{number:02}.md": b"one\n" for number in range(24)} | {"a.md": b"line\n" * 5000}
    sha = change_files(relationship=here, changes=files, by=TESTER).commit

    def shown(query: str) -> str:
        return owner.get(page("commit", here, sha=sha) + query).content.decode()

    first, second = shown(""), shown("?page=2")
    assert "25 files" in first and "notes/18.md" in first and "notes/19.md" not in first
    assert first.count("+line") == 999 and "4,001 more lines are not shown." in first
    assert "notes/19.md" in second and "notes/23.md" in second and "notes/18.md" not in second
    assert "25 files" not in shown("?base=" + sha)
