"""Calls of a companion's tools by its own model: what the model is told of them, and who is asked about them."""

import pytest

from providers.errors import HeldBack
from providers.llm.base import CompletionRequest
from relationships.models import Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.weather import WeatherServer, give_weather
from tests.fixtures.workspaces import begin, done, step, work
from worker.silence import OWN_ADDRESSES, CallsInFlight
from workspace.models import AgentSession, AgentStep, SessionState, StepState


def test_a_model_is_told_the_status_of_an_answer_that_is_no_success(
    pair: Relationship, scripted_provider: ScriptedProvider, weather: WeatherServer
) -> None:
    give_weather(pair.companion, weather.url)
    asked = step("weather", city="Porto")

    def ask_while_it_is_away(_: CompletionRequest) -> dict[str, str]:
        weather.status = 503
        return asked

    scripted_provider.answer_with(asked, ask_while_it_is_away, done(), "Hot.")

    assert work(pair, begin(pair)).state == SessionState.DONE
    *_, (_, fine), _, (_, failed) = scripted_provider.requests[2].history
    assert fine.startswith('{"city"') and failed.startswith('[HTTP status 503]\n{"city"')
    curated = scripted_provider.requests[3].prompt
    assert "[HTTP status 503]" in curated and "[HTTP status 200]" not in curated


def test_nobody_is_asked_to_approve_a_call_that_does_not_fit(
    pair: Relationship, scripted_provider: ScriptedProvider, weather: WeatherServer
) -> None:
    give_weather(pair.companion, weather.url, needs_approval=True)
    scripted_provider.answer_with(step("weather", town="Porto"), step("weather", city="Porto"))

    assert work(pair, begin(pair)).state == SessionState.RUNNING
    refused, waits = AgentStep.objects.for_relationship(pair.id).order_by("number")
    assert (refused.state, waits.state) == (StepState.FAILED, StepState.WAITING)
    assert "'city' is a required property" in refused.result and not weather.asked


@pytest.mark.parametrize("approved", [False, True], ids=["waits", "approved"])
def test_a_call_that_the_end_of_a_session_overtook_was_never_made_and_waits_for_nobody(
    api: Api, pair: Relationship, scripted_provider: ScriptedProvider, weather: WeatherServer, approved: bool
) -> None:
    give_weather(pair.companion, weather.url, needs_approval=True)
    scripted_provider.answer_with(step("weather", city="Porto"), "Hot.")
    session = work(pair, begin(pair))
    at = f"/relationships/{pair.id}/agent-sessions/{session.id}"
    decide = f"{at}/steps/1/decide"
    if approved:
        assert api.post(decide, {"accept": True}).status == 200
    api.post(f"{at}/stop", {})

    assert work(pair, session).state == SessionState.DONE
    assert api.post(decide, {"accept": True}).status == 409
    (call,) = api.get(f"{at}/steps").body["items"]
    assert (call["state"], call["result"]) == ("failed", "The session ended before this call was made.")
    assert not weather.asked


def test_a_call_of_a_session_that_is_abandoned_can_not_be_approved(
    api: Api, pair: Relationship, scripted_provider: ScriptedProvider, weather: WeatherServer
) -> None:
    give_weather(pair.companion, weather.url, needs_approval=True)
    scripted_provider.answer_with(step("weather", city="Porto"))
    session = work(pair, begin(pair))
    AgentSession.objects.filter(id=session.id).update(state=SessionState.ABANDONED)

    at = f"/relationships/{pair.id}/agent-sessions/{session.id}/steps/1/decide"
    refused = api.post(at, {"accept": True})
    assert refused.status == 409 and "abandoned" in refused.body["detail"]
    assert AgentStep.objects.for_relationship(pair.id).get().state == StepState.WAITING


def test_a_call_is_held_back_while_many_of_the_projects_have_no_answer_and_made_afterwards(
    pair: Relationship,
    scripted_provider: ScriptedProvider,
    weather: WeatherServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_flight = CallsInFlight(readers=2)
    monkeypatch.setattr("workspace.sessions.run.calls_in_flight", in_flight)
    give_weather(pair.companion, weather.url)
    scripted_provider.answer_with(step("weather", city="Porto"), done(), "Hot.")

    with in_flight.call(pair.project_id, OWN_ADDRESSES):
        session = work(pair, begin(pair))
    assert (session.state, session.attempts) == (SessionState.RUNNING, 0)
    assert session.error.startswith("Not sent: earlier calls still wait") and not weather.asked

    assert work(pair, session).state == SessionState.DONE
    assert [asked["city"] for _, asked in weather.asked] == ["Porto"]


def test_a_tool_that_never_answers_leaves_the_project_one_call_at_a_time(
    pair: Relationship,
    scripted_provider: ScriptedProvider,
    weather: WeatherServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_flight = CallsInFlight(readers=4)
    monkeypatch.setattr("workspace.sessions.run.calls_in_flight", in_flight)
    give_weather(pair.companion, weather.url, timeout=0.2)
    scripted_provider.answer_with(step("weather", city="Never"), done(), "Hot.")
    work(pair, begin(pair))

    another = in_flight.call(pair.project_id, OWN_ADDRESSES, patience=0)
    with in_flight.call(pair.project_id, OWN_ADDRESSES), pytest.raises(HeldBack), another:
        pass
