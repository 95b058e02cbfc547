"""An agent's session from its start to main: hydrate, run, curate, merge, sync."""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client

from context.pipeline import build_context
from providers.errors import ProviderUnavailable
from providers.llm.base import CompletionRequest
from relationships.models import Companion, Message, Relationship, RelationshipToken
from relationships.services.profiles import replace_profile
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER, Api
from workspace.files import change_files
from workspace.hot_context import read_hot_context
from workspace.models import AgentSession, AgentStep, Branch, Checkpoint, HeldChange, SessionState, Worker
from workspace.sessions.advance import advance_session
from workspace.sessions.verbs import finish_session, get_session, start_session
from workspace.store import read_contents


def step(tool: str, **given: Any) -> dict[str, str]:
    return {"tool": tool, "input": json.dumps(given)}


def done(summary: str = "Done.", *facts: str) -> dict[str, str]:
    return step("done", summary=summary, facts=list(facts))


@pytest.fixture
def pair(relationship: Relationship) -> Relationship:
    Companion.objects.filter(id=relationship.companion_id).update(
        config={"workspace": {"provider": "scripted"}}
    )
    return Relationship.objects.select_related("companion", "user", "project").get(id=relationship.id)


def work(pair: Relationship, session: AgentSession) -> AgentSession:
    """Do all that is owed, as a worker would."""
    AgentSession.objects.filter(id=session.id, lease_token=None).exclude(due_at=None).update(
        due_at=session.created_at
    )
    advance_session(session_id=session.id, worker="test")
    return get_session(pair.id, session.id)


def begin(pair: Relationship, task: str = "Plan a trip", worker: Worker = Worker.BUILT_IN) -> AgentSession:
    return start_session(relationship=pair, task=task, worker=worker, by=TESTER)[0]


def test_a_built_in_session_works_curates_and_merges(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    replace_profile(relationship=pair, data={"city": "Lisbon"}, by=TESTER)
    scripted_provider.answer_with(
        step("view", path="profile/user.yaml"),
        step("create", path="workspace/outputs/plan.md", file_text="Go to Porto.\n"),
        done("Wrote a plan.", "Plans a trip to Porto."),
        "# Maya\nPlans a trip to Porto.",
    )

    session = work(pair, begin(pair))

    assert session.state == SessionState.DONE, session.error
    steps = AgentStep.objects.for_relationship(pair.id).order_by("number")
    assert [row.tool for row in steps] == ["view", "create", "done"] and "city: Lisbon" in steps[0].result
    files = read_contents(pair.id, "main")
    assert files["workspace/outputs/plan.md"] == b"Go to Porto.\n" and "memory/scratchpad.md" not in files
    assert read_hot_context(pair.id) == ("# Maya\nPlans a trip to Porto.\n", 1)
    assert not Branch.objects.for_relationship(pair.id).exclude(name="main").exists()
    names = Checkpoint.objects.for_relationship(pair.id).order_by("taken_at").values_list("name", flat=True)
    assert list(names) == ["start", "curated", "merged"]
    said = Message.objects.for_relationship(pair.id).get()
    assert said.turn_id == session.turn_id and said.content == "Plans a trip to Porto."


def test_chat_is_shown_hot_context_before_memory(pair: Relationship) -> None:
    change_files(relationship=pair, changes={"memory/hot_context.md": b"Maya is in Porto."}, by=TESTER)

    context = build_context(
        project_id=pair.project_id, relationship_id=pair.id, message="Hi", session="current"
    )

    assert "Maya is in Porto." in context.system
    assert [layer.name for layer in context.layers][2] == "hot_context"


def test_an_external_session_works_with_its_token_alone(
    api: Api, pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    base = f"/relationships/{pair.id}"
    started = api.post(f"{base}/agent-sessions", {"task": "Tidy up", "worker": "external"}).body
    agent = Api(started["token"])
    wrote = agent.put(f"{base}/files/workspace/outputs/a.md?branch={started['branch']}", {"content": "a"})
    unseen = api.get(f"{base}/files/workspace/outputs/a.md")
    other = api.post("/relationships", {"companion": "ada", "user": "noor"}).body["id"]
    elsewhere = agent.get(f"/relationships/{other}/files")
    finished = agent.post(f"{base}/agent-sessions/{started['id']}/finish", {"summary": "Tidied."})
    scripted_provider.answer_with("Tidied up.")
    session = work(pair, AgentSession.objects.get(id=started["id"]))

    assert wrote.status == 200 and unseen.status == 404 and elsewhere.status == 404
    assert finished.status == 202 and session.state == SessionState.DONE, session.error
    assert read_contents(pair.id, "main")["workspace/outputs/a.md"] == b"a"
    assert agent.get(f"{base}/files").status == 401, "the token ends with its session"
    assert RelationshipToken.objects.for_relationship(pair.id).get().revoked_at


@pytest.mark.parametrize(
    ("answer", "why"),
    [("word " * 5000, "5000 words"), ("  ", "empty"), (ProviderUnavailable, "")],
    ids=["too long", "empty", "no answer"],
)
def test_a_curation_that_fails_leaves_hot_context_and_can_be_tried_again(
    pair: Relationship, scripted_provider: ScriptedProvider, api: Api, answer: Any, why: str
) -> None:
    change_files(relationship=pair, changes={"memory/hot_context.md": b"Old."}, by=TESTER)
    scripted_provider.answer_with(done(), answer if isinstance(answer, str) else answer("away"))
    session = work(pair, begin(pair))

    assert read_hot_context(pair.id)[0] == "Old."
    if why:
        assert session.state == SessionState.FAILED and session.stage == "curating" and why in session.error
        scripted_provider.answer_with("New.")
        assert api.post(f"/relationships/{pair.id}/agent-sessions/{session.id}/retry").status == 202
    else:
        assert session.state == SessionState.CURATING and session.attempts == 1
        scripted_provider.answer_with("New.")
    assert work(pair, session).state == SessionState.DONE
    assert read_hot_context(pair.id)[0] == "New.\n"


def test_hot_context_changed_meanwhile_is_merged_by_the_model(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    """A person writes while the model curates: it is asked again, with both versions."""
    session = begin(pair)

    def meanwhile(request: Any) -> str:
        change_files(relationship=pair, changes={"memory/hot_context.md": b"Written by hand."}, by=TESTER)
        return "From the session."

    scripted_provider.answer_with(done(), meanwhile, "Both.")
    session = work(pair, session)

    assert session.state == SessionState.DONE and read_hot_context(pair.id)[0] == "Both.\n"
    assert (
        "Written by hand." in scripted_provider.requests[-1].prompt
        and "From the session." in scripted_provider.requests[-1].prompt
    )


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
def test_one_that_deletes_what_the_other_edits_loses_nothing(
    two: Any, pair: Relationship, api: Api, sides: tuple[bytes | None, bytes | None], accept: bool
) -> None:
    """What was edited stays, until a person says which side it is to be."""
    assert two(*sides)["plan.md"] == b"- 1\n- two\n"
    held = HeldChange.objects.for_relationship(pair.id).get()
    api.post(f"/relationships/{pair.id}/held-changes/{held.id}/decide", {"accept": accept})
    files = read_contents(pair.id, "main")
    assert files.get("plan.md") == sides[1 if accept else 0]
    assert get_session(pair.id, held.session_id).state == SessionState.DONE


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


def test_budgets_end_a_session_and_what_it_did_is_kept(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    Companion.objects.filter(id=pair.companion_id).update(
        config={"workspace": {"provider": "scripted", "max_steps": 2}}
    )
    scripted_provider.answer_with(
        step("create", path="a.md", file_text="a"), step("view", path="a.md"), "Hot."
    )
    session = work(pair, begin(pair))
    assert session.state == SessionState.DONE and "2 steps" in session.summary
    assert read_contents(pair.id, "main")["a.md"] == b"a"


def test_pause_resume_and_stop(pair: Relationship, scripted_provider: ScriptedProvider, api: Api) -> None:
    base = f"/relationships/{pair.id}/agent-sessions"
    session = begin(pair)
    assert api.post(f"{base}/{session.id}/pause").body["paused"]
    assert work(pair, session).state == SessionState.RUNNING and not scripted_provider.requests
    api.post(f"{base}/{session.id}/resume")
    scripted_provider.answer_with(step("create", path="a.md", file_text="a"), "Hot.")

    def stop_at_once(request: CompletionRequest) -> None:
        if len(scripted_provider.requests) == 1:
            api.post(f"{base}/{session.id}/stop")

    scripted_provider.while_answering = stop_at_once
    assert work(pair, session).state == SessionState.DONE
    assert "Stopped by a person" in get_session(pair.id, session.id).summary
    assert api.post(f"{base}/{session.id}/stop").status == 409


LAUGHS = "a: &a [x,x]\n" + "".join(
    f"{n}: &{n} [*{p},*{p},*{p},*{p}]\n" for p, n in pairwise("abcdefghijklmnop")
)


@pytest.mark.parametrize(
    ("proposed", "decided_by"),
    [(b"\xff\xfe\xfd", "unreadable"), (b"just words", "unreadable"), (LAUGHS.encode(), "unreadable"),
     (b'a: "\\0 \\ud800"\nb: .nan\n3: 2026-01-01\n', "")],
    ids=["bytes", "no mapping", "unfolds", "odd values"],
)  # fmt: skip
def test_a_profile_is_read_with_care_and_what_can_not_be_is_told(
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


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (step("view", path="odd.bin"), "no text"),
        (step("view", path="broken.txt"), "no text"),
        (step("grep", pattern="x"), "No line"),
        (step("create", path="odd.bin", file_text="x"), "already exists"),
        (step("create", path="a\nb", file_text="x"), "control character"),
        (step("create", path="a.md", file_text="\0 \ud800"), "created"),
        (step("create", path="a.md", file_text=5), "file_text"),
        (step("create", path="x" * 2000, file_text=""), "1 to 1024"),
        (step("create", path="../a", file_text=""), "escape"),
        (step("create", path="ODD.bin", file_text=""), "differ only by case"),
        (step("create", path="knowledge/documents/x", file_text=""), "made from"),
        (step("create", path="a.md", file_text="x" * 200_000), "200000 bytes"),
        ({"tool": "view", "input": '{"path": NaN}'}, "path"),
        (step("no_such_tool"), "no tool"),
    ],
)
def test_whatever_a_model_asks_for_it_is_told_and_goes_on(
    pair: Relationship, scripted_provider: ScriptedProvider, asked: dict[str, str], said: str
) -> None:
    odd = {"odd.bin": b"\0x", "broken.txt": b"\xffx"}
    change_files(relationship=pair, changes=odd, by=TESTER)
    scripted_provider.answer_with(asked, step("done", summary=None, facts="Owns a raven."), "Hot.")
    session = work(pair, begin(pair))
    assert session.state == SessionState.DONE and session.facts == ["Owns a raven."], session.error
    assert said in AgentStep.objects.for_relationship(pair.id).get(number=1).result


def test_a_model_that_never_answers_in_form_fails_visibly(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = "I would rather chat."
    session = work(pair, begin(pair))
    assert session.state == SessionState.FAILED and "form" in session.error


def test_steps_are_streamed(pair: Relationship, scripted_provider: ScriptedProvider, api: Api) -> None:
    scripted_provider.answer_with(step("create", path="a.md", file_text="a"), done(), "Hot.")
    session = work(pair, begin(pair))
    answer = Client().get(
        f"/v1/relationships/{pair.id}/agent-sessions/{session.id}/events",
        headers={"Authorization": f"Bearer {api.key}"},
    )
    told = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    assert told.count("event: step") == 2 and '"state":"done"' in told


def test_nobody_sees_a_session_that_is_under_way(pair: Relationship) -> None:
    one, two = begin(pair, worker=Worker.EXTERNAL), begin(pair, worker=Worker.EXTERNAL)
    change_files(relationship=pair, changes={"a.md": b"a"}, by=TESTER, branch=one.branch)
    assert "a.md" not in read_contents(pair.id, two.branch) and "a.md" not in read_contents(pair.id, "main")
