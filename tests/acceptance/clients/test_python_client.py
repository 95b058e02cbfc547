"""The Python client against the real service, from its wheel in a clean environment and from here."""

import asyncio
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import assert_type

import pytest
from rapport_client import AsyncRapport, Invalid, NotFound, Rapport, Stale
from rapport_client.generated.models import EntryAnswer, WhichUser
from rapport_client.workspace import run_in_workspace

from tests.acceptance.clients.conftest import Door
from tests.acceptance.processes import ROOT


def test_from_its_wheel_the_readmes_program_has_a_fact_remembered_and_shown(
    door: Door, client_python: Path
) -> None:
    readme = (ROOT / "README.md").read_text()
    program = re.search(r"mine/bin/python <<'END'\n(.+?)END\n```", readme, re.DOTALL)
    assert program, "The README has no program any more."
    told = door.run(client_python, "-I", "-c", program[1])
    assert "Porto" in told
    brought = door.run(client_python, "-I", "-c", "import sys, rapport_client; print(*sys.modules)")
    assert not {"django", "pydantic", "openai"} & set(brought.split())


def test_the_guides_program_runs_as_it_stands(door: Door, client_python: Path) -> None:
    page = (ROOT / "docs/how-to/use-the-clients.md").read_text()
    (program,) = re.findall(r"```python\n(.+?)```", page, re.DOTALL)
    assert "Lives in Lisbon" in door.run(client_python, "-I", "-c", program)


def test_the_command_moves_a_relationship_and_calls_anything(
    door: Door, rapport: Rapport, client_python: Path, tmp_path: Path
) -> None:
    maya = rapport.relationship(companion="ada", user="maya")
    maya.add("Lives in Lisbon.", type="identity")
    tom = rapport.relationship(companion="ada", user="tom")
    command = client_python.with_name("rapport")

    door.run(command, "export", maya.id, tmp_path / "maya.json")
    door.run(command, "import", tom.id, tmp_path / "maya.json")
    page = json.loads(door.run(command, "call", "entries_list", tom.id, "limit=1", "text=lisbon"))

    assert [entry["content"] for entry in page["items"]] == ["Lives in Lisbon."]


WORK = """
cat memory/entries.md > workspace/outputs/seen.md && rm old.md
printf '#!/bin/sh\n' > workspace/outputs/run.sh && chmod +x workspace/outputs/run.sh
test "$RAPPORT_API_KEY" != "$OUTSIDE" && rapport call files_list "$RAPPORT_RELATIONSHIP" > /dev/null
rapport tool list > workspace/outputs/tools && rapport tool describe weather > workspace/outputs/weather.yaml
rapport tool call nobody_wrote_it city=Porto || exit 3
"""


def test_a_command_works_on_a_relationships_files_and_what_it_did_is_merged_though_it_failed(
    door: Door, rapport: Rapport, client_python: Path, tmp_path: Path
) -> None:
    maya = rapport.relationship(companion="ada", user="maya")
    maya.add("Lives in Lisbon.", type="identity")
    rapport.files_write(maya.id, "old.md", content="Old.")
    rapport.agent_tools_write(
        rapport.companions_list()["items"][0]["id"],
        "weather",
        description="Tells the weather.",
        endpoint="https://weather.example.org/",
    )
    rapport.files_write(maya.id, "workspace/outputs/photo.png", content="/9j/AA==", encoding="base64")
    command = client_python.with_name("rapport")
    path = "/usr/bin:/bin"  # the command finds `rapport` all the same

    with pytest.raises(AssertionError, match="There is no tool 'nobody_wrote_it'"):
        door.run(
            *(command, "workspace", "run", maya.id, "--task", "Look.", "--folder", tmp_path / "work"),
            *("--", "sh", "-c", WORK),
            OUTSIDE=door.key, PATH=path,
        )  # fmt: skip

    assert "Lisbon" in rapport.files_read(maya.id, "workspace/outputs/seen.md")["content"]
    kept = {file["path"] for file in rapport.files_list(maya.id)["files"]}
    assert rapport.files_read(maya.id, "workspace/outputs/tools")["content"] == "weather\n"
    assert "Tells the weather." in rapport.files_read(maya.id, "workspace/outputs/weather.yaml")["content"]
    programs = [file["path"] for file in rapport.files_list(maya.id)["files"] if file["executable"]]
    assert programs == ["workspace/outputs/run.sh"]
    assert "old.md" not in kept and "workspace/outputs/photo.png" in kept
    assert (tmp_path / "work/workspace/outputs/photo.png").read_bytes() == b"\xff\xd8\xff\x00"[:4]
    (session,) = rapport.agent_sessions_list(maya.id)["items"]
    assert (session["state"], session["summary"]) == ("done", "`sh` exited with 3.")


def test_the_first_command_of_a_relationship_finds_where_its_outputs_go(
    door: Door, rapport: Rapport, client_python: Path
) -> None:
    maya = rapport.relationship(companion="ada", user="maya")

    work = ("sh", "-c", "echo Porto > workspace/outputs/trip.md")
    door.run(client_python.with_name("rapport"), "workspace", "run", maya.id, "--task", "Go.", "--", *work)

    assert rapport.files_read(maya.id, "workspace/outputs/trip.md")["content"] == "Porto\n"


def test_a_command_that_is_not_there_leaves_no_session_open(
    door: Door, rapport: Rapport, client_python: Path
) -> None:
    maya = rapport.relationship(companion="ada", user="maya")

    with pytest.raises(AssertionError, match="no-such-command"):
        door.run(client_python.with_name("rapport"), "workspace", "run", maya.id, "--", "no-such-command")

    (session,) = rapport.agent_sessions_list(maya.id)["items"]
    assert session["state"] not in ("hydrating", "running")  # it was ended


MESS = r"""
import os
for name in (b"bad\xff.md", b"good.md", b"GOOD.md", b"memory/entries.md", b"large.bin", b"huge.bin"):
    open(name, "w").write("x" * {b"large.bin": 200_000, b"huge.bin": 900_000}.get(name, 1))
os.chmod("run.sh", 0o755)
os.symlink("good.md", "link.md")
os.kill(os.getppid(), 2)
"""


def test_what_can_not_be_kept_is_told_and_the_rest_is_merged(
    door: Door, rapport: Rapport, client_python: Path
) -> None:
    """With a name that is no text, a twin, a read-only file, two that are too large, a link; and Ctrl-C meanwhile."""
    maya = rapport.relationship(companion="ada", user="maya")
    rapport.files_write(maya.id, "run.sh", content="#!/bin/sh")
    rapport.files_write(maya.id, "skills/plan/SKILL.md", content="Plan.")
    command = [
        str(client_python.with_name("rapport")),
        "workspace",
        "run",
        str(maya.id),
        "--",
        str(client_python),
        "-c",
        MESS,
    ]

    with pytest.raises(AssertionError) as told:
        door.run(*command)

    left_out = dict(
        re.findall(r"not stored, and still in (\S+): (.+?): ", str(told.value).replace("\\n", "\n"))
    )
    assert len(left_out) == 1
    (folder,) = map(Path, left_out)
    assert (folder / "large.bin").stat().st_size == 200_000
    assert (folder / ".claude/skills/plan/SKILL.md").read_text() == "Plan."
    shutil.rmtree(folder)
    files = {file["path"]: file["executable"] for file in rapport.files_list(maya.id)["files"]}
    assert files["run.sh"] and len(files.keys() & {"good.md", "GOOD.md"}) == 1
    assert not files.keys() & {"large.bin", ".claude/skills/plan/SKILL.md"}
    (session,) = rapport.agent_sessions_list(maya.id)["items"]
    assert session["state"] == "done" and session["summary"].count("was not stored") == 6
    assert "large.bin would have 200000 bytes; 102400 are kept." in session["summary"]
    assert "huge.bin was not stored: 900000 bytes are too many for a file" in session["summary"]


def test_what_a_link_hides_was_not_deleted(rapport: Rapport, tmp_path: Path) -> None:
    maya = rapport.relationship(companion="ada", user="maya")
    for path in ("plan.md", "notes/a.md", "notes/b.md", "old.md"):
        rapport.files_write(maya.id, path, content="Go to Porto.")
    away = "mv plan.md away.md && ln -s away.md plan.md && mv notes moved && ln -s moved notes && rm old.md"

    ran = run_in_workspace(rapport, maya.id, ["sh", "-c", away], task="Tidy.", folder=tmp_path / "here")

    said = {path: why.split(",")[0] for path, why in ran.left_out.items()}
    assert said == {
        "plan.md": "plan.md is a link",
        "notes": "notes is a link",
        "notes/a.md": "notes is a link",
        "notes/b.md": "notes is a link",
    }
    files = {file["path"] for file in rapport.files_list(maya.id)["files"]}
    assert files >= {"plan.md", "notes/a.md", "notes/b.md", "away.md", "moved/a.md", "moved/b.md"}
    assert "old.md" not in files


def test_a_command_that_a_signal_ended_has_the_status_that_a_shell_gives_it(rapport: Rapport) -> None:
    maya = rapport.relationship(companion="ada", user="maya")

    ran = run_in_workspace(rapport, maya.id, ["sh", "-c", "kill -9 $$"], task="Look.")

    assert ran.code == 137 and "exited with 137" in ran.session["summary"]


def test_a_folder_that_is_not_empty_starts_no_session(rapport: Rapport, tmp_path: Path) -> None:
    maya = rapport.relationship(companion="ada", user="maya")
    (tmp_path / "mine").touch()

    with pytest.raises(FileExistsError):
        run_in_workspace(rapport, maya.id, ["true"], task="Look.", folder=tmp_path)

    assert rapport.agent_sessions_list(maya.id)["items"] == []


def test_the_command_says_what_is_wrong(door: Door, client_python: Path) -> None:
    with pytest.raises(AssertionError, match=r"rapport: 404 .*not exist"):
        door.run(
            client_python.with_name("rapport"), "call", "users_read", "00000000-0000-0000-0000-000000000001"
        )
    with pytest.raises(AssertionError, match="is not an operation"):
        door.run(client_python.with_name("rapport"), "call", "close")


def test_lists_come_whole_whatever_the_size_of_a_page(rapport: Rapport) -> None:
    maya = rapport.relationship(companion="ada", user="maya")
    for number in range(7):
        maya.add(f"Fact {number}", tags={"kind": "odd" if number % 2 else "even"})

    pages = rapport.items(rapport.entries_list, maya.id, limit=3)
    assert_type(pages, Iterator[EntryAnswer])
    assert [entry["content"] for entry in pages] == [f"Fact {number}" for number in reversed(range(7))]
    assert [entry["content"] for entry in maya.entries(tag=["kind=odd"])] == ["Fact 5", "Fact 3", "Fact 1"]


def test_what_is_changed_found_deleted_restored_corrected_and_forgotten(rapport: Rapport) -> None:
    who: WhichUser = {"external_id": "maya", "display_name": "Maya"}
    maya = rapport.relationship(companion="ada", user=who, timezone="Europe/Lisbon")
    entry = maya.add("Likes green tea.", type="preference")
    maya.change(entry["id"], content="Likes black tea.", if_match=entry["version"])
    with pytest.raises(Stale):
        maya.change(entry["id"], content="Likes mint.", if_match=entry["version"])

    assert [found["content"] for found in maya.search("which tea?")] == ["Likes black tea."]
    maya.delete(entry["id"])
    assert maya.entries() == []
    maya.restore(entry["id"])
    history = rapport.items(rapport.entries_history, maya.id, entry["id"], limit=2)
    assert [revision["event"] for revision in history] == ["restore", "delete", "update", "add"]
    assert maya.correct("that I like black tea", "Likes white tea.")["state"] == "carried_out"
    assert maya.forget("that I like white tea")["state"] == "carried_out"
    assert rapport.relationship_by_id(maya.id).entries() == []
    read = rapport.relationships_read(maya.id)
    assert (read["user"]["display_name"], read["timezone"]) == ("Maya", "Europe/Lisbon")


def test_a_document_is_uploaded_and_found(rapport: Rapport) -> None:
    (companion,) = rapport.items(rapport.companions_list)
    text = b"The pool opens at nine. Towels are at the desk."
    document = rapport.documents_add(companion["id"], file=("house.txt", text, "text/plain"), name="House")
    assert rapport.documents_read(companion["id"], document["id"])["name"] == "House"


def test_errors_name_the_field(rapport: Rapport) -> None:
    with pytest.raises(NotFound):
        rapport.users_read("00000000-0000-0000-0000-000000000001")
    with pytest.raises(Invalid) as refused:
        rapport.relationships_get_or_create(companion="Not A Slug", user="maya")
    assert [one["field"] for one in refused.value.errors] == ["companion"]


def test_a_hundred_people_at_once_by_the_asynchronous_client(door: Door) -> None:
    async def live(client: AsyncRapport, number: int) -> list[str]:
        person = await client.relationship(companion="ada", user=f"person-{number}")
        await person.add(f"Is number {number}.")
        return [entry["content"] for entry in await person.entries()]

    async def everybody() -> list[list[str]]:
        async with AsyncRapport(door.url, door.key) as client:
            return await asyncio.gather(*(live(client, number) for number in range(100)))

    assert asyncio.run(everybody()) == [[f"Is number {number}."] for number in range(100)]


def test_events_are_told_as_they_happen_and_after_the_last_one(rapport: Rapport, door: Door) -> None:
    maya = rapport.relationship(companion="ada", user="maya")
    maya.add("Likes tea.")
    events = maya.events(after="0-0")
    first = next(events)
    with Rapport(door.url, door.key) as other:
        other.entries_create(maya.id, content="Has a cat.", type="other")
    second = next(events)
    events.close()

    assert [one.name for one in (first, second)] == ["memory.changed", "memory.changed"]
    assert "tea" not in str(first.data)
    again = rapport.events(maya.id, after=first.id or "")
    assert next(again).data["entry_id"] == second.data["entry_id"]
    again.close()
