"""Sessions that nobody gives a sign of, and those that end who works at them."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from providers.errors import ProviderUnavailable
from relationships.models import Companion, Relationship, RelationshipToken
from relationships.services.tokens import drop_expired_tokens
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER, Api
from tests.fixtures.people import meet_elsewhere
from tests.fixtures.workspaces import begin, done, work
from workspace.files import change_files
from workspace.models import AgentSession, AgentStep, SessionState, StepState, Worker
from workspace.sessions import claim
from workspace.sessions.claim import AbandonWalk, claim_session, take_up_sessions
from workspace.sessions.commands import get_session
from workspace.sessions.hydrate import hydrate_session
from workspace.sessions.run import CUT_OFF
from workspace.store import read_contents


def test_one_that_nobody_gives_a_sign_of_is_abandoned_and_can_still_be_finished(
    pair: Relationship, scripted_provider: ScriptedProvider, api: Api
) -> None:
    scripted_provider.otherwise = "Curated."
    session = begin(pair, worker=Worker.EXTERNAL)
    base = f"/relationships/{pair.id}/agent-sessions/{session.id}"
    change_files(relationship=pair, changes={"a.md": b"a"}, by=TESTER, branch=session.branch)
    seen = get_session(pair.id, session.id).seen_at
    cut_off = AgentStep(relationship=pair, project_id=pair.project_id, session_id=session.id, number=1)
    cut_off.state = StepState.STARTED  # its call's answer never came, as its process was killed
    cut_off.save(force_insert=True)

    assert AbandonWalk().step(seen + timedelta(hours=23)) == 0
    assert AbandonWalk().step(seen + timedelta(hours=25)) == 1
    assert api.get(base).body["state"] == "abandoned" and api.post(f"{base}/heartbeat").status == 409
    assert api.post(f"{base}/finish").status == 202
    session = work(pair, session)
    assert (session.state, session.error, session.stage) == ("done", "", "")
    assert read_contents(pair.id, "main")["a.md"] == b"a"
    step = AgentStep.objects.for_relationship(pair.id).get()
    assert (step.state, step.result) == ("failed", CUT_OFF)


def test_those_that_outlive_their_token_are_abandoned_and_finished(
    pair: Relationship, scripted_provider: ScriptedProvider, api: Api
) -> None:
    scripted_provider.otherwise = "Curated."
    silent, lively = begin(pair, worker=Worker.EXTERNAL), begin(pair, worker=Worker.EXTERNAL)
    later = timezone.now() + timedelta(hours=25)
    AgentSession.objects.for_relationship(pair.id).filter(id=lively.id).update(seen_at=later)
    assert drop_expired_tokens(later) == 2

    assert AbandonWalk().step(later) == 1
    assert get_session(pair.id, silent.id).state == SessionState.ABANDONED
    assert api.post(f"/relationships/{pair.id}/agent-sessions/{lively.id}/finish").status == 202
    assert work(pair, lively).state == SessionState.DONE


def test_its_token_lasts_for_as_long_as_a_session_gives_signs_of_life(pair: Relationship, api: Api) -> None:
    session, now = begin(pair, worker=Worker.EXTERNAL), timezone.now()
    heartbeat = f"/relationships/{pair.id}/agent-sessions/{session.id}/heartbeat"
    tokens = RelationshipToken.objects.for_relationship(pair.id)

    tokens.update(expires_at=now + timedelta(minutes=1))
    assert api.post(heartbeat).status == 200
    assert tokens.get().expires_at > now + timedelta(hours=23)

    tokens.update(expires_at=now - timedelta(seconds=1))
    assert api.post(heartbeat).status == 200
    assert tokens.get().expires_at < now, "who let it expire does not come back with it"


def test_a_session_that_kills_every_worker_fails_visibly_and_progress_resets_the_count(
    pair: Relationship, scripted_provider: ScriptedProvider, api: Api, settings: Settings
) -> None:
    settings.MAX_ATTEMPTS = 2
    session, rows = begin(pair), AgentSession.objects.for_relationship(pair.id)
    for _ in range(settings.MAX_ATTEMPTS):
        assert claim_session(session_id=session.id, worker="elsewhere:1:1")
        rows.update(lease_until=timezone.now() - timedelta(seconds=1))
        take_up_sessions(timezone.now())
    assert (rows.get().state, rows.get().stage) == ("failed", "hydrating")
    assert "ended its workers" in rows.get().error

    api.post(f"/relationships/{pair.id}/agent-sessions/{session.id}/retry")
    rows.update(attempts=1)
    scripted_provider.answer_with(done(), ProviderUnavailable("away"))
    assert work(pair, session).attempts == 1, "of two stages that it came through nothing is left"


def test_those_that_may_be_silent_for_long_and_a_wrong_configuration_keep_no_other_from_being_abandoned(
    pair: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim, "PAGE", 2)
    patient, wrong = meet_elsewhere(), meet_elsewhere()
    Companion.objects.filter(id=patient.companion_id).update(config={"workspace": {"abandoned_hours": 1000}})
    Companion.objects.filter(id=wrong.companion_id).update(config={"recipe": "of.an.uninstalled.plugin"})
    sessions = [begin(each, worker=Worker.EXTERNAL) for each in (patient, patient, wrong, pair)]
    walk, later = AbandonWalk(), timezone.now() + timedelta(hours=25)

    assert [walk.step(later) for _ in range(3)] == [0, 2, 0]
    assert [get_session(each.relationship_id, each.id).state for each in sessions] == [
        SessionState.RUNNING,
        SessionState.RUNNING,
        SessionState.ABANDONED,
        SessionState.ABANDONED,
    ]


@pytest.mark.parametrize("hydrating", [False, True])
def test_an_external_session_can_be_stopped_even_before_it_has_a_branch(
    pair: Relationship,
    scripted_provider: ScriptedProvider,
    api: Api,
    monkeypatch: pytest.MonkeyPatch,
    hydrating: bool,
) -> None:
    """It has none while its start is under way, or after a process died there."""
    with monkeypatch.context() as dying:
        dying.setattr("workspace.sessions.commands.hydrate_session", lambda *_: None)
        session = begin(pair, worker=Worker.EXTERNAL)
    if not hydrating:
        hydrate_session(pair, session)
    api.post(f"/relationships/{pair.id}/agent-sessions/{session.id}/stop")
    if hydrating:
        hydrate_session(pair, session)  # the start that was under way

    scripted_provider.answer_with("Hot.")
    assert work(pair, session).state == SessionState.DONE, session.error
