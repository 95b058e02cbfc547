"""What becomes of two sessions' changes, and of the profile that one would have."""

from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest

from config.postgresql.sessions import execute
from relationships.models import Relationship
from relationships.services.profiles import replace_profile
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER, Api
from tests.fixtures.workspaces import begin, work
from workspace.files import change_files
from workspace.models import HeldChange, SessionState, Worker
from workspace.sessions.commands import finish_session, get_session
from workspace.store import read_contents


@pytest.fixture
def two(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> Callable[[bytes | None, bytes | None], dict[str, bytes]]:
    """Two sessions from one base, each with its own change of plan.md; main after both are merged."""

    def merged(first: bytes | None, second: bytes | None) -> dict[str, bytes]:
        scripted_provider.otherwise = "Curated."
        change_files(relationship=pair, changes={"plan.md": b"- one\n- two\n- three\n"}, by=TESTER)
        sessions = [begin(pair, worker=Worker.EXTERNAL) for _ in range(2)]
        for session, content in zip(sessions, (first, second), strict=True):
            change_files(relationship=pair, changes={"plan.md": content}, by=TESTER, branch=session.branch)
        for session in sessions:
            finish_session(relationship=pair, session_id=session.id, summary="", facts=[], by=TESTER)
            work(pair, session)
        return read_contents(pair.id, "main")

    return merged


def test_two_that_append_to_one_list_are_both_kept(two: Any, pair: Relationship) -> None:
    files = two(b"- one\n- two\n- three\n- four\n", b"- one\n- two\n- three\n- five\n")
    assert files["plan.md"] == b"- one\n- two\n- three\n- four\n- five\n"
    assert not HeldChange.objects.for_relationship(pair.id).exists()


def test_two_that_edit_one_line_keep_both_sides_for_a_person(two: Any, pair: Relationship, api: Api) -> None:
    files = two(b"- one\n- 2\n- three\n", b"- one\n- zwei\n- three\n")
    held = HeldChange.objects.for_relationship(pair.id).get()

    assert files["plan.md"] == b"- one\n- 2\n- three\n" and files[held.kept_as] == b"- one\n- zwei\n- three\n"
    assert not any(b"<<<<" in content or b">>>>" in content for content in files.values())
    assert get_session(pair.id, held.session_id).state == SessionState.NEEDS_REVIEW
    api.post(f"/relationships/{pair.id}/held-changes/{held.id}/decide", {"accept": True})
    after = read_contents(pair.id, "main")
    assert after["plan.md"] == b"- one\n- zwei\n- three\n" and held.kept_as not in after
    assert get_session(pair.id, held.session_id).state == SessionState.DONE


@pytest.mark.parametrize("accept", [True, False])
@pytest.mark.parametrize(
    "sides", [(b"- 1\n- two\n", None), (None, b"- 1\n- two\n")], ids=["deletes", "edits"]
)
def test_deleting_a_file_that_the_other_side_edits_loses_nothing(
    two: Any, pair: Relationship, api: Api, sides: tuple[bytes | None, bytes | None], accept: bool
) -> None:
    """What was edited stays, until a person says which side it is to be."""
    assert two(*sides)["plan.md"] == b"- 1\n- two\n"
    held = HeldChange.objects.for_relationship(pair.id).get()
    api.post(f"/relationships/{pair.id}/held-changes/{held.id}/decide", {"accept": accept})
    files = read_contents(pair.id, "main")
    assert files.get("plan.md") == sides[1 if accept else 0]
    assert get_session(pair.id, held.session_id).state == SessionState.DONE


@pytest.mark.parametrize(
    ("sides", "deleted"), [((b"- 1\n- two\n", None), True), ((None, b"- 1\n- two\n"), False)]
)
def test_what_merges_have_left_open_before_says_who_deleted_it(
    two: Any, pair: Relationship, sides: tuple[bytes | None, bytes | None], deleted: bool
) -> None:
    two(*sides)
    rows = HeldChange.objects.for_relationship(pair.id)
    rows.update(session_deleted=False)
    execute(import_module("workspace.migrations.0005_who_deleted_a_held_file").FILL)
    assert rows.get().session_deleted is deleted


def test_of_bytes_the_newer_wins_and_the_other_is_kept(two: Any) -> None:
    files = two(b"\x00first", b"\x00second")
    assert files.pop("plan.md") == b"\x00second"
    assert b"\x00first" in files.values()


def test_a_changed_profile_is_a_proposal_that_a_moved_version_refuses(
    pair: Relationship, scripted_provider: ScriptedProvider, api: Api
) -> None:
    scripted_provider.otherwise = "Curated."
    replace_profile(relationship=pair, data={"city": "Lisbon"}, by=TESTER)
    sessions = [begin(pair, worker=Worker.EXTERNAL) for _ in range(2)]
    for session, city in zip(sessions, (b"city: Porto\n", b"city: Faro\n"), strict=True):
        change_files(relationship=pair, changes={"profile/user.yaml": city}, by=TESTER, branch=session.branch)
        finish_session(relationship=pair, session_id=session.id, summary="", facts=[], by=TESTER)
    assert work(pair, sessions[0]).state == SessionState.NEEDS_REVIEW
    held = HeldChange.objects.for_relationship(pair.id).get()
    assert api.get(f"/relationships/{pair.id}/profile").body == {"city": "Lisbon"}
    api.post(f"/relationships/{pair.id}/held-changes/{held.id}/decide", {"accept": True})
    assert api.get(f"/relationships/{pair.id}/profile").body == {"city": "Porto"}
    assert work(pair, sessions[1]).state == SessionState.DONE, "the version has moved"
    assert HeldChange.objects.for_relationship(pair.id).exclude(id=held.id).get().state == "declined"


LAUGHS = "a: &a [x,x]\n" + "".join(
    f"{n}: &{n} [*{p},*{p},*{p},*{p}]\n" for p, n in pairwise("abcdefghijklmnop")
)


@pytest.mark.parametrize("data", [{"city": "Lisbon"}, {}], ids=["something", "nothing"])
def test_a_deleted_profile_is_a_proposal_to_empty_it(
    pair: Relationship, scripted_provider: ScriptedProvider, api: Api, data: dict[str, str]
) -> None:
    scripted_provider.otherwise = "Curated."
    replace_profile(relationship=pair, data=data, by=TESTER)
    session = begin(pair, worker=Worker.EXTERNAL)
    change_files(relationship=pair, changes={"profile/user.yaml": None}, by=TESTER, branch=session.branch)
    finish_session(relationship=pair, session_id=session.id, summary="", facts=[], by=TESTER)

    assert work(pair, session).state == (SessionState.NEEDS_REVIEW if data else SessionState.DONE)
    for held in HeldChange.objects.for_relationship(pair.id):
        assert api.get(f"/relationships/{pair.id}/profile").body == data
        accepted = api.post(f"/relationships/{pair.id}/held-changes/{held.id}/decide", {"accept": True})
        assert accepted.status == 200, accepted.body
    assert api.get(f"/relationships/{pair.id}/profile").body == {}


@pytest.mark.parametrize(
    ("proposed", "decided_by"),
    [(b"\xff\xfe\xfd", "unreadable"), (b"just words", "unreadable"), (LAUGHS.encode(), "unreadable"),
     (b'a: "\\0 \\ud800"\nb: .nan\n3: 2026-01-01\n', "")],
    ids=["bytes", "no mapping", "unfolds", "odd values"],
)  # fmt: skip
def test_a_proposed_profile_is_read_safely_and_an_unreadable_one_is_reported(
    pair: Relationship, scripted_provider: ScriptedProvider, proposed: bytes, decided_by: str
) -> None:
    scripted_provider.otherwise = "Curated."
    session = begin(pair, worker=Worker.EXTERNAL)
    change_files(relationship=pair, changes={"profile/user.yaml": proposed}, by=TESTER, branch=session.branch)
    finish_session(relationship=pair, session_id=session.id, summary="", facts=[], by=TESTER)
    assert work(pair, session).state == ("done" if decided_by else "needs_review")
    held = HeldChange.objects.for_relationship(pair.id).get()
    assert held.decided_by == (decided_by and f"policy:{decided_by}")
    assert decided_by or held.proposal == {"a": "\ufffd ?", "b": "NaN", "3": "2026-01-01"}
