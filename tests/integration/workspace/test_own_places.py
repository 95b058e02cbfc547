"""What stands in the way of a file of ours, there or yet to come, is never written."""

import pytest
from django.test import Client

from relationships.models import Companion, Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER, Api
from tests.fixtures.pushes import BLOB, Pack
from tests.fixtures.workspaces import begin, done, whole, work
from workspace.files import change_files, open_workspace, read_file, refresh_generated
from workspace.gateway.tools import delete_tool, put_tool
from workspace.generated import way_fault
from workspace.store import read_contents

IN_THE_WAY = [
    "profile",
    "profile/user.yaml/x",
    "Profile/user.yaml",
    "Memory/a.md",
    "memory/ENTRIES.md",
    "memory\uff0fentries.md",
    "pro\ufb01le/a",
    "memory/hot_context.md/x",
    "memory/scratchpad.md/x",
    "workspace/agents.md",
    "knowledge",
    "Knowledge/x",
    "tools",
    "tools/weather",
    "tools/Weather/spec.yaml",
    "tools/weather/spec.yaml/x",
]
FINE = [
    "memory/hot_context.md",
    "memory/people/a.md",
    "workspace/outputs/AGENTS.md",
    "knowledge/notes.md",
    "knowledge/documents/A b.md",
    "tools/weather/spec.yaml",
    "tools/weather/run",
    "tools/README.md",
    "tools/My Tool/spec.yaml",
    "a/Memory/b",
]


def push_of(path: str, head: str) -> bytes:
    pack = Pack()
    *folders, name = path.split("/")
    tree = pack.tree({name: pack.add(BLOB, b"mine")})
    for folder in reversed(folders):
        tree = pack.tree({}, {folder: tree})
    return pack.push(head, pack.commit(tree, [head]))


@pytest.mark.parametrize("path", IN_THE_WAY)
def test_a_file_in_the_way_of_ours_is_refused_over_rest_and_git(
    api: Api, api_key: str, relationship: Relationship, path: str
) -> None:
    """With the workspace still empty: nothing of ours is there yet to differ from."""
    head = open_workspace(whole(relationship)).commit
    written = api.post(
        f"/relationships/{relationship.id}/files", {"changes": [{"path": path, "content": "x"}]}
    )
    pushed = Client().post(
        f"/git/{relationship.id}.git/git-receive-pack",
        push_of(path, head),
        "application/x-git-receive-pack-request",
        headers={"Authorization": f"Bearer {api_key}"},
    )

    assert (written.status, written.body["type"]) == (422, "urn:rapport:problem:bad_path")
    assert "has its own use" in pushed.content.decode()
    assert read_contents(relationship.id, "main") == {}


@pytest.mark.parametrize("path", FINE)
def test_paths_beside_generated_files_are_allowed(path: str) -> None:
    assert way_fault(path) == ""


def test_the_spec_of_a_tool_goes_with_it_and_an_agents_copy_stays(
    api: Api, pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    at = f"/relationships/{pair.id}/files"
    spec = {"description": "Looks.", "endpoint": "https://example.org/"}
    put_tool(companion=pair.companion, name="look", spec=spec, by=TESTER)
    head = refresh_generated(pair)
    shown = api.get(at).body["files"]
    copy = read_file(pair, "tools/look/spec.yaml").content
    change_files(relationship=pair, changes={"tools/mine/spec.yaml": copy}, by=TESTER)
    delete_tool(companion=pair.companion, name="look", by=TESTER)

    assert "tools/look/spec.yaml" in head.files
    assert [file["path"] for file in shown if file["read_only"]] == sorted(
        ["memory/entries.md", "profile/user.yaml", "tools/look/spec.yaml"]
    )
    listed = {file["path"]: file["read_only"] for file in api.get(at).body["files"]}
    assert "tools/look/spec.yaml" not in listed and not listed["tools/mine/spec.yaml"]
    assert api.get(f"{at}/tools/look/spec.yaml").status == 404
    assert "tools/look/spec.yaml" not in refresh_generated(pair).files


def test_a_session_hydrates_whatever_sources_come_after_the_files(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    for path in FINE:
        if not path.startswith("knowledge/documents"):
            change_files(relationship=pair, changes={path: b"mine"}, by=TESTER)
    config = {"workspace": {"provider": "scripted", "agents_md": "Be good."}}
    Companion.objects.filter(id=pair.companion_id).update(config=config)
    put_tool(
        companion=pair.companion,
        name="run",
        spec={"description": "Runs.", "endpoint": "https://example.org/"},
        by=TESTER,
    )
    scripted_provider.answer_with(done(), "Hot.")

    here = whole(pair)
    session = work(here, begin(here))

    assert session.state == "done", session.error
    assert read_contents(pair.id, "main").keys() >= {
        "workspace/AGENTS.md",
        "tools/run/spec.yaml",
        "tools/weather/run",
    }
