"""Tools behind the gateway: checked both ways, secrets filled in and never shown, private addresses refused."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from pytest_django.fixtures import Settings

from relationships.models import Project, Relationship
from relationships.services.api_keys import create_api_key
from tests.fixtures.api import TESTER, Api
from tests.fixtures.weather import SECRET, WeatherServer, give_weather
from tests.fixtures.workspaces import whole
from workspace.errors import ToolRefused
from workspace.gateway.call import LARGEST_ANSWER, call_tool, tools_of
from workspace.gateway.secrets import put_secret
from workspace.models import AgentStep, Tool, ToolSecret, Worker
from workspace.sessions.commands import start_session


@pytest.fixture
def here(relationship: Relationship) -> Relationship:
    return whole(relationship)


def test_a_secret_is_filled_in_kept_encrypted_and_taken_out_of_the_answer(
    here: Relationship, weather: WeatherServer
) -> None:
    give_weather(here.companion, weather.url)
    called = call_tool(here.companion_id, "weather", {"city": "Porto"})

    assert weather.asked == [(f"Bearer {SECRET}", {"city": "Porto"})]
    assert json.loads(called.text) == {"city": "Porto", "key": "Bearer [secret]"}
    assert SECRET.encode() not in bytes(ToolSecret.objects.get().encrypted)


@pytest.mark.parametrize("secret", ['pa"ss', "line\\back", "a/b c&d"])
def test_a_secret_is_taken_out_however_an_answer_spells_it(
    here: Relationship, weather: WeatherServer, secret: str
) -> None:
    give_weather(here.companion, weather.url)
    put_secret(companion=here.companion, name="KEY", value=secret, by=TESTER)
    called = call_tool(here.companion_id, "weather", {"city": quote(secret)})

    assert json.loads(called.text) == {"city": "[secret]", "key": "Bearer [secret]"}


def test_a_secret_that_no_header_can_have_is_not_quoted(here: Relationship, weather: WeatherServer) -> None:
    give_weather(here.companion, weather.url)
    put_secret(companion=here.companion, name="KEY", value="mañana\n", by=TESTER)

    with pytest.raises(ToolRefused, match="a header that can't be sent") as refused:
        call_tool(here.companion_id, "weather", {"city": "Porto"})
    assert "ana" not in str(refused.value)


@pytest.mark.parametrize(
    ("secret", "sent"),
    [
        ('a+b#c "d"', "a%2Bb%23c%20%22d%22"),
        ("T0/B0:x==", "T0/B0:x=="),
        ("sv=1&sig=a%2Fb", "sv=1&sig=a%2Fb"),
    ],
    ids=["a key", "a path", "a query"],
)
def test_a_secret_arrives_whole_in_a_url(
    here: Relationship, weather: WeatherServer, secret: str, sent: str
) -> None:
    give_weather(here.companion, f"{weather.url}?{{{{KEY}}}}", headers={"Authorization": "none"})
    put_secret(companion=here.companion, name="KEY", value=secret, by=TESTER)
    called = call_tool(here.companion_id, "weather", {"city": f"Porto {sent}"})

    assert weather.paths == [f"/now?{sent}"]
    assert json.loads(called.text)["city"] == "Porto [secret]"


@pytest.mark.parametrize("shown", [1, len(SECRET) // 2, len(SECRET) - 1])
def test_a_secret_that_the_cut_goes_through_is_not_begun(
    here: Relationship, weather: WeatherServer, shown: int
) -> None:
    give_weather(here.companion, weather.url)
    before = len(json.dumps({"city": "", "key": "Bearer "})) - len('"}')
    called = call_tool(here.companion_id, "weather", {"city": "x" * (LARGEST_ANSWER - before - shown)})

    text, _, cut = called.text.rpartition("\n")
    assert text.endswith('"key": "Bearer ') and cut.startswith("[Cut at")


def test_a_tool_that_was_written_while_private_addresses_were_allowed_stops_no_session(
    here: Relationship, weather: WeatherServer, settings: Settings
) -> None:
    give_weather(here.companion, weather.url)
    settings.ALLOW_PRIVATE_ADDRESSES = False

    assert [tool.name for tool in tools_of(here.companion_id)] == ["weather"]
    with pytest.raises(ToolRefused, match="private network"):
        call_tool(here.companion_id, "weather", {"city": "Porto"})


@pytest.mark.parametrize("header", ["Content-Length", "transfer-encoding"])
def test_a_header_that_each_call_writes_is_refused_and_one_that_was_taken_is_left_out(
    api: Api, here: Relationship, weather: WeatherServer, header: str
) -> None:
    give_weather(here.companion, weather.url)
    body = {"description": "Tells.", "endpoint": weather.url, "headers": {header: "5"}}
    assert api.put(f"/companions/{here.companion_id}/tools/weather", body).fields == [f"headers.{header}"]
    tool = Tool.objects.get()
    Tool.objects.filter(id=tool.id).update(spec={**tool.spec, "headers": {header: "5", "Authorization": "a"}})

    assert json.loads(call_tool(here.companion_id, "weather", {"city": "Porto"}).text)["city"] == "Porto"


@pytest.mark.parametrize(("given", "said"), [({}, "city"), ({"city": 1}, "city")])
def test_an_input_that_does_not_fit_is_never_sent(
    here: Relationship, weather: WeatherServer, given: Any, said: str
) -> None:
    give_weather(here.companion, weather.url)
    with pytest.raises(ToolRefused, match=said):
        call_tool(here.companion_id, "weather", given)
    assert not weather.asked


def test_an_answer_that_does_not_fit_never_comes_or_has_ten_megabytes(
    here: Relationship, weather: WeatherServer
) -> None:
    give_weather(here.companion, weather.url)
    assert len(call_tool(here.companion_id, "weather", {"city": "Huge"}).text) < LARGEST_ANSWER + 100
    with pytest.raises(ToolRefused, match="within 1 seconds"):
        call_tool(here.companion_id, "weather", {"city": "Never"})
    give_weather(here.companion, weather.url, output={"type": "object", "required": ["degrees"]})
    with pytest.raises(ToolRefused, match="degrees"):
        call_tool(here.companion_id, "weather", {"city": "Porto"})


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://169.254.169.254/latest",
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://10.0.0.1/",
        "file:///etc",
    ],
)
def test_a_private_address_is_refused_as_the_tool_is_written(
    api: Api, here: Relationship, endpoint: str
) -> None:
    body = {"description": "Spies.", "endpoint": endpoint}
    assert api.put(f"/companions/{here.companion_id}/tools/spy", body).status == 422


def test_a_key_that_may_not_write_secrets_can_send_none_to_an_address_of_its_own(
    project: Project, here: Relationship
) -> None:
    writing, ruling = (
        Api(create_api_key(project_id=project.id, name="k", scopes=(scope,), by=TESTER)[1])
        for scope in ("write", "admin")
    )
    spec = {"description": "Tells.", "endpoint": "https://example.org/"}
    at = f"/companions/{here.companion_id}/tools/tell"
    sending = [
        {**spec, "endpoint": "https://example.org/?key={{ KEY }}"},
        {**spec, "headers": {"X-Key": "{{KEY}}"}},
    ]
    refused = [writing.put(at, one) for one in sending]

    assert [(one.status, one.body["scope"]) for one in refused] == [(403, "admin")] * 2
    assert writing.put(at, spec).status == 200 and ruling.put(at, sending[0]).status == 200


def test_a_companion_has_a_hundred_tools_and_a_hundred_secrets_at_most(api: Api, here: Relationship) -> None:
    at = f"/companions/{here.companion_id}"
    spec = {"description": "Tells.", "endpoint": "https://example.org/"}
    bodies = {"tools": spec, "tool-secrets": {"value": "x"}}
    for place, body in bodies.items():
        for number in range(100):
            assert api.put(f"{at}/{place}/t{number}", body).status in (200, 204)
        refused = api.put(f"{at}/{place}/another", body)
        assert refused.status == 409 and "at most 100" in refused.body["detail"]
        assert api.put(f"{at}/{place}/t0", body).status in (200, 204)


def test_a_call_does_not_read_the_companions_other_tools(here: Relationship, weather: WeatherServer) -> None:
    give_weather(here.companion, weather.url)
    Tool.objects.create(
        companion=here.companion, project_id=here.project_id, name="another", spec={"endpoint": 1}
    )

    assert call_tool(here.companion_id, "weather", {"city": "Porto"}).status == 200


def test_a_call_that_needs_approval_waits_for_a_person(
    api: Api, here: Relationship, weather: WeatherServer
) -> None:
    give_weather(here.companion, weather.url, needs_approval=True)
    session, token = start_session(relationship=here, task="t", worker=Worker.EXTERNAL, by=TESTER)
    at, agent = f"/relationships/{here.id}/agent-sessions/{session.id}", Api(token)
    asked = agent.post(f"{at}/tools/weather", {"input": {"city": "Porto"}}).body
    forged = agent.post(f"{at}/steps/1/decide", {"accept": True})
    early = agent.post(f"{at}/tools/weather", {"input": {"city": "Porto"}, "approved": 1})
    api.post(f"{at}/steps/1/decide", {"accept": True})
    other = agent.post(f"{at}/tools/weather", {"input": {"city": "Faro"}, "approved": 1})
    done = agent.post(f"{at}/tools/weather", {"input": {"city": "Porto"}, "approved": 1})

    assert (asked["state"], forged.status, early.status, other.status) == ("waiting", 403, 409, 409)
    assert done.body["state"] == "done" and SECRET not in done.raw.decode()
    assert AgentStep.objects.get().decided_by.startswith("developer:")


def test_the_secrets_of_a_companion_are_never_shown(api: Api, here: Relationship) -> None:
    at = f"/companions/{here.companion_id}/tool-secrets"
    assert api.put(f"{at}/KEY", {"value": SECRET}).status == 204
    assert [line["name"] for line in api.get(at).body["items"]] == ["KEY"] and SECRET not in api.get(
        at
    ).raw.decode()
