"""Calls of a companion's tools by its own model: what the model is told of them, and who is asked about them."""

from relationships.models import Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.weather import WeatherServer, give_weather
from tests.fixtures.workspaces import begin, done, step, work
from workspace.models import AgentStep, SessionState, StepState


def test_a_model_is_told_the_status_of_an_answer_that_is_no_success(
    pair: Relationship, scripted_provider: ScriptedProvider, weather: WeatherServer
) -> None:
    give_weather(pair.companion, weather.url)
    asked = step("weather", city="Porto")
    scripted_provider.answer_with(asked, lambda _: setattr(weather, "status", 503) or asked, done(), "Hot.")

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
