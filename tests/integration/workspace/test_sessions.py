"""An agent's session from its start to main: hydrate, run, curate, merge, sync."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from context.pipeline import build_context
from providers.errors import ProviderUnavailable, Unauthorized
from providers.llm.base import CompletionRequest
from relationships.models import ApiKey, Companion, Message, Relationship, RelationshipToken
from relationships.services.profiles import replace_profile
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER, Api
from tests.fixtures.workspaces import begin, done, step, whole, work
from workspace.files import change_files
from workspace.hot_context import read_hot_context
from workspace.models import AgentSession, AgentStep, Branch, Checkpoint, Commit, SessionState, Worker
from workspace.sessions.claim import claim_session, rest_session
from workspace.sessions.commands import get_session, pause_session
from workspace.store import read_contents


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


def test_an_external_session_needs_only_its_token(
    api: Api, pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    base = f"/relationships/{pair.id}"
    started = api.post(f"{base}/agent-sessions", {"task": "Tidy up", "worker": "external"}).body
    agent = Api(started["token"])
    wrote = agent.put(f"{base}/files/workspace/outputs/a.md?branch={started['branch']}", {"content": "a"})
    unseen = api.get(f"{base}/files/workspace/outputs/a.md")
    on_main = agent.put(f"{base}/files/workspace/outputs/a.md", {"content": "a"})
    other = api.post("/relationships", {"companion": "ada", "user": "noor"}).body["id"]
    elsewhere = agent.get(f"/relationships/{other}/files")
    finished = agent.post(f"{base}/agent-sessions/{started['id']}/finish", {"summary": "Tidied."})
    scripted_provider.answer_with("Tidied up.")
    session = work(pair, AgentSession.objects.get(id=started["id"]))

    commit = Commit.objects.for_relationship(pair.id).filter(sha=wrote.body["commit"]).get()
    assert commit.author.startswith("model agent "), "no person wrote this"
    assert on_main.status == 403 and repr(started["branch"]) in on_main.body["detail"]
    assert wrote.status == 200 and unseen.status == 404 and elsewhere.status == 404
    assert finished.status == 202 and session.state == SessionState.DONE, session.error
    assert read_contents(pair.id, "main")["workspace/outputs/a.md"] == b"a"
    assert "    workspace/outputs/a.md: a\n" in scripted_provider.requests[-1].prompt, (
        "who curates is shown it"
    )
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


def test_who_resumes_as_the_worker_comes_to_rest_is_not_left_waiting(
    pair: Relationship, scripted_provider: ScriptedProvider, api: Api
) -> None:
    session, base = begin(pair), f"/relationships/{pair.id}/agent-sessions"
    api.post(f"{base}/{session.id}/pause")
    claimed = claim_session(session_id=session.id, worker="test")
    assert claimed is not None
    api.post(f"{base}/{session.id}/resume")
    rest_session(claimed)  # it had seen that the session is paused

    scripted_provider.answer_with(done(), "Hot.")
    assert work(pair, session).state == SessionState.DONE


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
        (step("create", path="knowledge/documents/x", file_text=""), "generated from"),
        (step("create", path="a.md", file_text="x" * 200_000), "200000 bytes"),
        ({"tool": "view", "input": '{"path": NaN}'}, "path"),
        (step("no_such_tool"), "no tool"),
        (step("a\0\ud800"), "no tool"),
        ("[" * 100_000, "JSON alone"),
        ('{"tool": "view", "input": ' + '{"a":' * 50_000, "JSON alone"),
    ],
)
def test_a_model_is_told_about_any_bad_call_and_goes_on(
    pair: Relationship, scripted_provider: ScriptedProvider, asked: dict[str, str] | str, said: str
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


def test_after_a_failure_a_good_step_ends_the_count_of_tries(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    away = [ProviderUnavailable("Away."), Unauthorized("Wrong key.")]
    good = step("create", path="a.md", file_text="a")
    scripted_provider.answer_with(away[0], good, away[1], step("view", path="a.md"), away[1])
    session = begin(pair)
    told = []
    for _ in range(3):
        session = work(pair, session)
        told.append((session.attempts, session.error_code, session.error))
    assert told == [(1, "unavailable", "Away."), *[(0, "unauthorized", "Wrong key.")] * 2]

    pause_session(relationship=whole(pair), session_id=session.id, by=TESTER)
    rested = work(pair, session)
    assert (rested.due_at, rested.error_code) == (None, "")


def test_steps_are_streamed(pair: Relationship, scripted_provider: ScriptedProvider, api: Api) -> None:
    scripted_provider.answer_with(step("create", path="a.md", file_text="a"), done(), "Hot.")
    session = work(pair, begin(pair))
    answer = Client().get(
        f"/v1/relationships/{pair.id}/agent-sessions/{session.id}/events",
        headers={"Authorization": f"Bearer {api.key}"},
    )
    told = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    assert told.count("event: step") == 2 and '"state":"done"' in told
    assert "+00:00" not in told  # times end in Z, as everywhere
    assert answer.headers["X-Accel-Buffering"] == "no"  # or nginx would hold the events back


def watch(
    pair: Relationship, api: Api, monkeypatch: pytest.MonkeyPatch
) -> tuple[AgentSession, Iterator[bytes]]:
    """A session under way, and what a stream tells of it."""
    monkeypatch.setattr("workspace.api.sessions.QUIET_SECONDS", 0.01)
    session = begin(pair, worker=Worker.EXTERNAL)
    answer = Client().get(
        f"/v1/relationships/{pair.id}/agent-sessions/{session.id}/events",
        headers={"Authorization": f"Bearer {api.key}"},
    )
    return session, iter(answer.streaming_content)  # type: ignore[attr-defined]


def test_watching_a_session_takes_no_place_from_those_who_wait_for_a_turn(
    pair: Relationship, api: Api, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MAX_WAITERS = 0
    session, told = watch(pair, api, monkeypatch)
    assert b'"state":"running"' in next(told) and next(told) == b": waiting\n\n"

    AgentSession.objects.for_relationship(pair.id).filter(id=session.id).update(state=SessionState.DONE)

    assert b'"state":"done"' in b"".join(told)


@pytest.mark.parametrize(
    "changed",
    [{"revoked_at": datetime(2026, 11, 1, tzinfo=UTC)}, {"scopes": ["write"]}],
    ids=["revoked", "scopes"],
)
def test_watching_a_session_ends_with_the_key(
    pair: Relationship, api: Api, monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any]
) -> None:
    _, told = watch(pair, api, monkeypatch)
    assert [b'"state":"running"' in next(told), next(told), next(told)] == [True, *[b": waiting\n\n"] * 2]

    ApiKey.objects.update(**changed)

    assert next(told, "it ended") == "it ended"


def test_nobody_sees_a_session_that_is_under_way(pair: Relationship) -> None:
    one, two = begin(pair, worker=Worker.EXTERNAL), begin(pair, worker=Worker.EXTERNAL)
    change_files(relationship=pair, changes={"a.md": b"a"}, by=TESTER, branch=one.branch)
    assert "a.md" not in read_contents(pair.id, two.branch) and "a.md" not in read_contents(pair.id, "main")
