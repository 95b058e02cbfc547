from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from tests.fixtures.queue import MakeTurn
from worker.heartbeat import beat

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker_beats() -> None:
    beat(name="here/1c0ffee2:1:2", pool_restarts=1, counters={"model_calls": 7})


def test_healthz_only_says_that_it_answers(client: Client) -> None:
    answer = client.get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"alive": True})


def test_readyz_says_whether_this_instance_can_serve_and_nothing_of_its_projects(
    client: Client, make_turn: MakeTurn
) -> None:
    make_turn(due=-4000)

    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert set(answer.json()) == {
        *("ready", "reasons", "database", "pending_migrations", "providers", "offline")
    }


def test_readyz_worker_says_yes_with_what_it_rests_on(
    client: Client, worker_beats: None, settings: Settings
) -> None:
    settings.DEFAULT_LLM_PROVIDER = "offline"

    answer = client.get("/readyz/worker")

    assert answer.status_code == 200
    body = answer.json()
    assert body["ready"] is True
    assert body["worker"]["alive"] is True
    assert body["pending_migrations"] == []
    assert body["turns"] == {"due": 0, "retrying": 0, "failed": 0}
    assert body["degraded"] == []
    assert body["providers"]["llm"]["alias"] == "offline"
    assert body["providers"]["embedder"]["alias"] == "offline"
    assert body["offline"] is True


def test_readyz_worker_says_that_the_database_takes_no_writes(client: Client, worker_beats: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")

    answer = client.get("/readyz/worker")

    assert answer.status_code == 503
    assert answer.json()["reasons"] == ["database: it takes no writes, so nothing is remembered"]
    assert client.get("/readyz").status_code == 200, "contexts and searches go on"


def test_readyz_worker_tells_what_a_projects_own_matter_holds_up(
    client: Client, worker_beats: None, make_turn: MakeTurn
) -> None:
    make_turn(due=600, waiting_since=timezone.now(), error_code="budget")

    answer = client.get("/readyz/worker")

    assert answer.status_code == 200
    (found,) = answer.json()["degraded"]
    assert (found["reason"], found["turns"], found["projects"]) == ("budget", 1, 1)
    assert found["detail"].endswith("(budget): The project's model budget for the day is spent.")


def test_readyz_worker_says_no_with_its_reasons(client: Client) -> None:
    answer = client.get("/readyz/worker")

    assert answer.status_code == 503
    assert answer.json()["ready"] is False
    assert answer.json()["reasons"] == ["worker: none has reported; run manage.py worker"]


def test_metrics_are_in_the_text_format_of_prometheus(
    client: Client, worker_beats: None, make_turn: MakeTurn
) -> None:
    make_turn(due=-30)

    answer = client.get("/metrics")

    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain")
    lines = answer.content.decode().splitlines()
    assert 'rapport_turns{state="due"} 1.0' in lines
    assert 'rapport_model_calls_total{worker="here/1c0ffee2:1:2"} 7.0' in lines


def test_metrics_say_what_they_could_not_read_of_a_node_that_is_away(
    client: Client, worker_beats: None, make_turn: MakeTurn
) -> None:
    def away(execute: Any, sql: str, *rest: Any) -> Any:
        if "relationships_turn" in sql:
            lost = psycopg.errors.ConnectionFailure("connection to the remote node failed")
            raise OperationalError("connection to the remote node failed") from lost
        return execute(sql, *rest)

    with connection.execute_wrapper(away):
        answer = client.get("/metrics")

    assert answer.status_code == 200
    lines = answer.content.decode().splitlines()
    assert 'rapport_model_calls_total{worker="here/1c0ffee2:1:2"} 7.0' in lines
    assert not [line for line in lines if line.startswith("rapport_turns{")]
    unread = {
        line.partition(" ")[0]
        for line in lines
        if line.startswith("rapport_metrics_unread") and line.endswith(" 1.0")
    }
    assert unread == {'rapport_metrics_unread{part="queue"}'}


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/readyz/worker", "/metrics"])
def test_they_are_only_for_reading_and_not_for_a_cache(path: str, client: Client) -> None:
    assert client.post(path).status_code == 405
    assert "no-store" in client.get(path).headers["Cache-Control"]
