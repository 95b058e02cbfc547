"""What a key, and a person's token, may ask in a while; and what they are told about it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone
from pytest_django.fixtures import Settings

from config.rates import Rate
from relationships.models import ApiKey, AuditEvent, Project, Relationship, Turn
from tests.fixtures.api import Api, ApiAnswer, new_key
from web import throttling
from web.models import RateWindow
from web.rate_counters import RateCounters
from worker.housekeeping import periodic_tasks

TURN = {"messages": [{"role": "user", "content": "I moved to Lisbon."}]}
MINUTE = 60


@pytest.fixture(autouse=True)
def nothing_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a web process begins."""
    monkeypatch.setattr(throttling, "RATE_COUNTERS", RateCounters())


@pytest.fixture
def limits(settings: Settings) -> Settings:
    settings.KEY_RATES = {"requests": Rate(5, MINUTE), "turns": Rate(2, MINUTE), "searches": Rate(1, MINUTE)}
    settings.TOKEN_RATES = {"requests": Rate(3, MINUTE)}
    return settings


def end_windows() -> None:
    """As if a minute had passed for the database; a process forgets what it holds when its own minute is over."""
    RateWindow.objects.update(ends_at=F("ends_at") - timedelta(seconds=MINUTE + 1))
    throttling.RATE_COUNTERS = RateCounters()


def test_who_asks_too_often_is_told_which_limit_it_was_and_when_to_come_back(
    api: Api, limits: Settings
) -> None:
    answers = [api.get("/project") for _ in range(6)]

    refused = answers[-1]
    assert [answer.status for answer in answers] == [200] * 5 + [429]
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert refused.body["type"] == "urn:rapport:problem:too_many_requests"
    assert refused.body["title"] == "Too Many Requests"
    assert "limit of requests, 5/minute" in refused.body["detail"]
    members = ("limit", "quota", "window_seconds")
    assert tuple(refused.body[member] for member in members) == ("requests", 5, 60)
    assert 55 <= int(refused.headers["Retry-After"]) == refused.body["retry_after"] <= 60


def test_another_key_is_not_touched_and_after_its_window_the_key_is_served_again(
    api: Api, project: Project, limits: Settings
) -> None:
    for _ in range(6):
        api.get("/project")

    assert api.get("/project").status == 429
    assert Api(new_key(project, "read")).get("/project").status == 200

    end_windows()

    assert api.get("/project").headers["RateLimit"] == '"requests";r=4;t=60'


def test_every_answer_says_what_is_left(api: Api, relationship: Relationship, limits: Settings) -> None:
    first = api.get("/project")
    second = api.post(f"/relationships/{relationship.id}/turns", TURN)

    assert first.headers["RateLimit-Policy"] == '"requests";q=5;w=60'
    assert first.headers["RateLimit"] == '"requests";r=4;t=60'
    assert second.headers["RateLimit-Policy"] == '"requests";q=5;w=60, "turns";q=2;w=60'
    assert second.headers["RateLimit"].startswith('"requests";r=3;t=')
    assert ', "turns";r=1;t=' in second.headers["RateLimit"]


def test_a_limit_of_one_kind_leaves_the_others_open(
    api: Api, relationship: Relationship, limits: Settings
) -> None:
    path = f"/relationships/{relationship.id}"

    searches = [api.post(f"{path}/entries/search", {"query": "tea"}) for _ in range(2)]

    assert [answer.status for answer in searches] == [200, 429]
    assert searches[-1].body["limit"] == "searches"
    assert api.get(path).status == 200


def test_what_is_refused_for_another_reason_counts_too(project: Project, limits: Settings) -> None:
    reader = Api(new_key(project, "read"))

    assert [reader.patch("/project", {"name": "x"}).status for _ in range(6)] == [403] * 5 + [429]


def test_a_turn_that_was_refused_can_be_sent_again_with_its_key(
    api: Api, relationship: Relationship, limits: Settings
) -> None:
    def send(key: str) -> ApiAnswer:
        return api.post(f"/relationships/{relationship.id}/turns", TURN, idempotency_key=key)

    assert [send("a").status, send("b").status, send("c").status] == [202, 202, 429]
    end_windows()
    assert [send("c").status, send("c").status] == [202, 202]
    assert Turn.objects.count() == 3


def test_a_persons_token_has_limits_of_its_own(
    api: Api, relationship: Relationship, limits: Settings
) -> None:
    limits.KEY_RATES = {"requests": Rate(9, MINUTE)}
    path = f"/relationships/{relationship.id}"
    one, other = (Api(api.post(f"{path}/tokens", {"scopes": ["read"]}).body["token"]) for _ in range(2))

    assert [one.get(path).status for _ in range(4)] == [200] * 3 + [429]
    assert (
        "token, or the key that made it, has used up its limit of requests, 3/minute."
        in one.get(path).body["detail"]
    )
    assert other.get(path).status == 200
    assert api.get(path).status == 200


def test_what_all_tokens_of_a_key_ask_counts_for_the_key(
    api: Api, project: Project, relationship: Relationship, limits: Settings
) -> None:
    limits.KEY_RATES = {"requests": Rate(99, MINUTE), "turns": Rate(9, MINUTE)}
    path = f"/relationships/{relationship.id}"
    sent = {"name": "App", "scopes": ["write"], "rate_limits": {"requests": "9/minute", "turns": "1/minute"}}
    app = Api(api.post("/api-keys", sent).body["key"])
    made = [app.post(f"{path}/tokens", {"scopes": ["write"]}) for _ in range(4)]
    session = app.post(f"{path}/agent-sessions", {"task": "Plan a trip.", "worker": "external"})
    one, two, three, four, agent = (Api(answer.body["token"]) for answer in (*made, session))

    turns = [token.post(f"{path}/turns", TURN) for token in (one, two)]

    assert [(answer.status, answer.body.get("limit")) for answer in turns] == [(202, None), (429, "turns")]
    assert turns[0].headers["RateLimit"].startswith('"requests";r=2;t=')  # what the token itself has left
    assert [token.get(path).status for token in (three, agent, four)] == [200, 200, 429]
    assert app.get(path).status == 429
    assert api.get(path).status == 200


def test_without_limits_nothing_is_counted_and_nothing_said(api: Api, settings: Settings) -> None:
    settings.KEY_RATES = {"requests": None}

    assert "RateLimit" not in api.get("/project").headers
    assert not RateWindow.objects.exists()


def test_the_health_of_the_service_is_nobodys_request(api: Api, limits: Settings) -> None:
    assert {api.client.get("/healthz").status_code for _ in range(9)} == {200}
    assert {api.client.get("/metrics").status_code for _ in range(9)} == {200}


def test_windows_that_are_over_are_swept_away(api: Api, limits: Settings) -> None:
    api.get("/project")
    (sweep,) = [
        periodic_task for periodic_task in periodic_tasks() if periodic_task.name == "drop_rate_windows"
    ]

    assert sweep.do(timezone.now()) == 0
    assert sweep.do(timezone.now() + timedelta(seconds=MINUTE)) == 1
    assert not RateWindow.objects.exists()


def test_the_counts_are_not_written_to_the_log_of_the_database(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'relationships_ratewindow'")
        assert cursor.fetchone() == ("u",)


def key_of(api: Api) -> str:
    return str(ApiKey.objects.get(prefix=str(api.key)[:11]).id)


def test_a_key_has_limits_of_its_own_from_its_next_request_on(
    api: Api, project: Project, limits: Settings
) -> None:
    made = api.post("/api-keys", {"name": "App", "scopes": ["read"], "rate_limits": {"requests": "2/minute"}})
    app = Api(made.body["key"])

    assert made.body["rate_limits"] == {"requests": "2/minute"}
    assert [app.get("/project").status for _ in range(3)] == [200, 200, 429]

    path = f"/api-keys/{made.body['id']}"
    changed = api.patch(path, {"rate_limits": {"requests": "4/minute", "turns": "1/hour"}})
    assert changed.body["rate_limits"] == {"requests": "4/minute", "turns": "1/hour"}
    assert [app.get("/project").status for _ in range(3)] == [200, 200, 429]

    assert api.patch(path, {"rate_limits": {"requests": None}}).body["rate_limits"] == {"turns": "1/hour"}
    assert [app.get("/project").status for _ in range(2)] == [200, 429]
    assert [event.detail for event in AuditEvent.objects.filter(action="api_key.changed").order_by("id")] == [
        {"rate_limits": {"requests": "4/minute", "turns": "1/hour"}},
        {"rate_limits": {"turns": "1/hour"}},
    ]


@pytest.mark.parametrize("rate", ["6/minute", "1/second", "6/day", "off"])
def test_nobody_gives_a_key_of_their_project_more_than_the_installation_does(
    api: Api, limits: Settings, rate: str
) -> None:
    sent = {"rate_limits": {"requests": rate}}

    answers = [
        api.patch(f"/api-keys/{key_of(api)}", sent),
        api.post("/api-keys", {"name": "App", "scopes": ["read"], **sent}),
    ]

    assert [(answer.status, answer.fields) for answer in answers] == [(422, ["rate_limits.requests"])] * 2
    assert "manage.py limit_api_key" in answers[0].body["detail"]


@pytest.mark.parametrize("rate", ["many", "0/minute", "1/fortnight", 7])
def test_a_limit_that_can_not_be_read_is_named(api: Api, rate: object) -> None:
    answer = api.patch(f"/api-keys/{key_of(api)}", {"rate_limits": {"requests": rate}})

    assert (answer.status, answer.fields) == (422, ["rate_limits.requests"])
