"""`?wait`: answered as soon as the turn is settled, by a real LISTEN, and never by asking again and again."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic
from typing import Any

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from providers.errors import ContentBlocked
from relationships.ids import uuid7
from relationships.models import Relationship, Turn, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api, ApiAnswer
from tests.fixtures.turns import Conversation, add, answer
from tests.waiting import wait_until
from worker.waiting import waiting_place

HELLO = {"messages": [{"role": "user", "content": "I moved to Lisbon."}]}
LISTENERS = """
SELECT pid, query, state_change FROM pg_stat_activity
 WHERE datname = current_database() AND query LIKE 'LISTEN%rapport_settled%'
"""


@pytest.fixture
def path(relationship: Relationship) -> str:
    return f"/relationships/{relationship.id}/turns"


@pytest.fixture
def beside() -> Iterator[Callable[..., Future[Any]]]:
    """Do something in a thread of its own, with its own connection."""

    def run(action: Callable[[], Any]) -> Any:
        try:
            return action()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        yield lambda action: pool.submit(run, action)


def listeners() -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(LISTENERS)
        return list(cursor.fetchall())


@pytest.mark.django_db(transaction=True)
def test_who_waits_is_answered_with_what_was_remembered_as_soon_as_it_is(
    api: Api,
    path: str,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    beside: Callable[..., Future[ApiAnswer]],
) -> None:
    scripted_provider.answer_with(answer(add("Lives in Lisbon", type="identity")))
    started = monotonic()
    waiting = beside(lambda: api.post(f"{path}?wait=30", HELLO))
    wait_until(Turn.objects.exists, what="the turn to be stored")
    wait_until(listeners, what="somebody to listen")

    conversation.drain()

    answered = waiting.result(timeout=20)
    assert monotonic() - started < 20
    assert (answered.status, answered.body["state"]) == (200, "applied")
    entry = conversation.entries[0]
    assert answered.body["remembered"] == [
        {"event": "add", "entry_id": str(entry.id), "type": "identity", "content": "Lives in Lisbon"}
    ]


@pytest.mark.django_db(transaction=True)
def test_who_waits_is_told_when_the_turn_failed(
    api: Api,
    path: str,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    beside: Callable[..., Future[ApiAnswer]],
) -> None:
    scripted_provider.answer_with(ContentBlocked("The provider refuses this."))
    waiting = beside(lambda: api.post(f"{path}?wait=30", HELLO))
    wait_until(Turn.objects.exists, what="the turn to be stored")

    conversation.drain()

    answered = waiting.result(timeout=20)
    assert (answered.status, answered.body["state"], answered.body["error_code"]) == (
        200,
        "failed",
        "content_blocked",
    )
    assert answered.body["remembered"] == []


@pytest.mark.django_db(transaction=True)
def test_only_who_waits_for_a_turn_is_woken_by_it(
    api: Api,
    path: str,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    beside: Callable[..., Future[ApiAnswer]],
    settings: Settings,
) -> None:
    settings.MAX_WAIT_SECONDS = 20
    scripted_provider.otherwise = {"operations": []}
    other = api.post("/relationships", {"companion": "ada", "user": "noor"}).body["id"]
    waiting = [
        beside(lambda: api.post(f"{path}?wait=30", HELLO)),
        beside(lambda: api.post(f"/relationships/{other}/turns?wait=30", HELLO)),
    ]
    wait_until(lambda: Turn.objects.count() == 2, what="both turns")

    conversation.drain()
    assert waiting[0].result(timeout=15).status == 200
    assert not waiting[1].done()

    Conversation(Relationship.objects.get(id=other)).drain()
    assert waiting[1].result(timeout=15).status == 200


def test_when_the_time_is_over_the_turn_is_answered_as_it_stands(
    api: Api, path: str, settings: Settings
) -> None:
    settings.MAX_WAIT_SECONDS = 0.05

    answered = api.post(f"{path}?wait=30", HELLO)

    assert (answered.status, answered.body["state"], answered.body["remembered"]) == (202, "pending", None)


@pytest.mark.parametrize("places", [0, 1])
def test_beyond_the_places_there_are_nobody_waits(
    api: Api, path: str, settings: Settings, places: int
) -> None:
    settings.MAX_WAITERS = places
    started = monotonic()

    with waiting_place(uuid7()) as taken:
        answered = api.post(f"{path}?wait=30", HELLO)

    assert (taken is not None) == bool(places)
    assert (answered.status, answered.body["state"]) == (202, "pending")
    assert monotonic() - started < 10


def test_a_place_is_free_again_when_its_waiter_has_gone(api: Api, path: str, settings: Settings) -> None:
    settings.MAX_WAITERS, settings.MAX_WAIT_SECONDS = 1, 0.01
    for _ in range(3):
        api.post(f"{path}?wait=1", HELLO)

    with waiting_place(uuid7()) as place:
        assert place is not None


@pytest.mark.django_db(transaction=True)
def test_while_somebody_waits_nobody_asks_the_database(api: Api, path: str, settings: Settings) -> None:
    def statements(wait: int, seconds: float) -> int:
        settings.MAX_WAIT_SECONDS = seconds
        sent: list[str] = []

        def note(execute: Any, sql: str, *arguments: Any) -> Any:
            sent.append(sql)
            return execute(sql, *arguments)

        with connection.execute_wrapper(note):
            assert api.post(f"{path}?wait={wait}", HELLO).status == 202
        return len(sent)

    for _ in range(9):  # the key's use is noted, the listener is there, the language is not looked for again
        statements(1, 0.01)
    before = listeners()

    short, long = statements(1, 0.01), statements(1, 0.8)

    assert short == long == statements(0, 0) + 2  # a look when the place is taken, and one at the end
    assert len(before) == 1
    assert listeners() == before


def resting() -> bool:
    """Somebody's session has nothing to do, after a look at a turn."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND state = 'idle' AND query LIKE 'SELECT%relationships_turn%'"
        )
        return cursor.fetchone() is not None


@pytest.mark.django_db(transaction=True)
def test_who_waits_is_answered_though_the_connection_was_cut_meanwhile(
    api: Api,
    path: str,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    beside: Callable[..., Future[ApiAnswer]],
) -> None:
    scripted_provider.otherwise = {"operations": []}
    waiting = beside(lambda: api.post(f"{path}?wait=30", HELLO))
    wait_until(Turn.objects.exists, what="the turn to be stored")
    wait_until(resting, what="the waiter to have looked at the turn, and to wait")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND query NOT LIKE 'LISTEN%'"
        )
        assert {ended for (ended,) in cursor.fetchall()} == {
            True
        }  # the waiter's; of a node, also those to others

    conversation.drain()

    answered = waiting.result(timeout=15)
    assert (answered.status, answered.body["state"]) == (200, TurnState.APPLIED)


@pytest.mark.parametrize("wait", ["-1", "31", "1.5", "soon", "", "9" * 30, "1&wait=2"])
def test_a_time_nobody_waits_is_refused_before_anything_is_kept(api: Api, path: str, wait: str) -> None:
    answered = api.post(f"{path}?wait={wait}", HELLO)

    assert (answered.status, answered.fields) == (422, ["wait"])
    assert not Turn.objects.exists()
