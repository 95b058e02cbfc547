"""What the client sends again, what it does not, and how it reads streams: over real HTTP."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any
from uuid import UUID

import httpx
import pytest
from rapport_client import (
    AsyncRapport,
    Invalid,
    NotFound,
    ProblemError,
    Rapport,
    Refused,
    Reply,
    Stale,
    StreamBroken,
    TooMany,
    Unreachable,
)
from rapport_client.relationship import AsyncRelationship, Relationship
from rapport_client.sending import Event, EventReader

from tests.unit.clients.server import Server, Told

TURN: Any = {"messages": [{"role": "user", "content": "Hello."}]}


def chunk(text: str | None = None, **rest: object) -> str:
    delta = {} if text is None else {"content": text}
    return f"data: {json.dumps({'choices': [{'delta': delta, **rest}]})}\n\n"


def http_date(seconds: int) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


STREAM = {"Content-Type": "text/event-stream"}


@pytest.mark.parametrize(("soon", "least"), [(lambda: "1", 1), (lambda: http_date(2), 0.5)])
def test_429_is_sent_again_when_its_time_is_over(soon: Callable[[], str], least: float) -> None:
    with (
        Server(Told(429, headers={"Retry-After": soon()}), Told(body={"ok": 1})) as server,
        Rapport(server.url, "rk_x") as client,
    ):
        answer: Any = client.documents_retry("c", "d")
        assert answer == {"ok": 1}
    first, second = server.asked
    assert second.at - first.at >= least


@pytest.mark.parametrize("late", ["3600", http_date(3600)], ids=["seconds", "date"])
def test_what_is_told_to_wait_longer_than_a_minute_is_not_waited_for(late: str) -> None:
    with (
        Server(Told(429, {"detail": "tomorrow"}, {"Retry-After": late})) as server,
        Rapport(server.url, "rk_x") as client,
        pytest.raises(TooMany, match="tomorrow"),
    ):
        client.project_read()
    assert len(server.asked) == 1


def test_a_turn_is_sent_again_under_one_key_and_carries_a_new_one_each_time() -> None:
    with (
        Server(Told(503, headers={"Retry-After": "0"}), Told(drop=True)) as server,
        Rapport(server.url, "rk_x") as client,
    ):
        client.turns_create("r", **TURN)
        client.turns_create("r", **TURN)
    keys = [asked.headers["idempotency-key"] for asked in server.asked]
    assert len(keys) == 4
    assert keys[0] == keys[1] == keys[2] != keys[3]
    assert len({asked.body for asked in server.asked}) == 1


@pytest.mark.parametrize("failure", [Told(503, {"detail": "away"}), Told(drop=True)], ids=["503", "hang up"])
def test_what_would_be_done_twice_is_not_sent_again(failure: Told) -> None:
    with Server(failure) as server, Rapport(server.url, "rk_x") as client:
        with pytest.raises((Unreachable, Exception)):
            client.users_create(external_id="maya")
        assert len(server.asked) == 1


class Silent(httpx.MockTransport):
    """Never answers; `patience`: how many seconds each request would have waited for that."""

    def __init__(self) -> None:
        self.patience: list[float] = []
        super().__init__(self._take)

    def _take(self, request: httpx.Request) -> httpx.Response:
        self.patience.append(request.extensions["timeout"]["read"])
        raise httpx.ReadTimeout("", request=request)


@pytest.mark.parametrize(
    ("ask", "patience"),
    [
        (lambda client: client.context_build("r"), [30, 30]),
        (lambda client: client.prompts_preview("c", version=1), [330]),
        (lambda client: client.relationships_forget("r", what="tea"), [330]),
        (lambda client: client.relationships_correct("r", what="tea", to="Likes coffee"), [330]),
        (lambda client: client.chat.complete("ada", "Hello", user="maya"), [330, 330]),
    ],
    ids=["none", "preview", "forget", "correct", "a reply, under its key"],
)
def test_what_asks_a_model_may_take_minutes_and_is_not_asked_twice(
    ask: Callable[[Rapport], object], patience: list[float]
) -> None:
    silent = Silent()
    with Rapport("http://here", "rk_x", transport=silent, retries=1) as client, pytest.raises(Unreachable):
        ask(client)
    assert silent.patience == patience


def test_nothing_there_is_unreachable_after_the_retries() -> None:
    with Server() as server:
        pass
    with Rapport(server.url, "rk_x", retries=1) as client, pytest.raises(Unreachable):
        client.project_read()


@pytest.mark.parametrize(
    ("status", "error"), [(404, NotFound), (410, NotFound), (403, Refused), (412, Stale), (422, Invalid)]
)
def test_a_problem_is_an_error_of_its_kind(status: int, error: type[Exception]) -> None:
    problem = {"detail": "It is wrong.", "errors": [{"field": "name", "detail": "is empty"}]}
    with (
        Server(Told(status, problem)) as server,
        Rapport(server.url, "rk_x") as client,
        pytest.raises(error, match=r"It is wrong. \(name: is empty\)"),
    ):
        client.project_read()


def test_a_field_that_the_sentence_names_is_not_named_twice() -> None:
    first, second = ("user.name", "is empty"), ("name", "is empty")
    fields = [{"field": field, "detail": detail} for field, detail in (first, second)]
    with (
        Server(Told(422, {"detail": "user.name: is empty", "errors": fields})) as server,
        Rapport(server.url, "rk_x") as client,
        pytest.raises(Invalid, match=r"^422 user\.name: is empty \(name: is empty\)$"),
    ):
        client.project_read()


def test_times_and_ids_are_written_as_the_service_reads_them_and_what_is_left_out_is_not_sent() -> None:
    with Server() as server, Rapport(server.url, "rk_x") as client:
        client.entries_change(
            UUID(int=1), UUID(int=2), expires_at=datetime(2026, 3, 2, 9, tzinfo=UTC), key=None, if_match=3
        )
    (asked,) = server.asked
    assert json.loads(asked.body).keys() == {"expires_at", "key"}
    assert datetime.fromisoformat(json.loads(asked.body)["expires_at"]) == datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert asked.headers["if-match"] == '"3"'
    assert asked.path == f"/v1/relationships/{UUID(int=1)}/entries/{UUID(int=2)}"


def test_a_reply_comes_piece_by_piece_with_what_is_told_beside_it() -> None:
    told = f": hello\n\n{chunk('Good ')}{chunk('morning.', finish_reason='stop')}"
    told += 'data: {"choices": [], "usage": {"total_tokens": 3}, "rapport": {"context_id": "c"}}\n\ndata: [DONE]\n\n'
    reply = Reply()
    with Server(Told(text=told, headers=STREAM)) as server, Rapport(server.url, "rk_x") as client:
        assert list(client.chat.stream("ada", "Hello", user="maya", into=reply)) == ["Good ", "morning."]
    assert reply == Reply("Good morning.", "stop", {"total_tokens": 3}, {"context_id": "c"}, [], True)
    assert json.loads(server.asked[0].body)["model"] == "ada"


def test_a_chat_names_a_person_and_a_session_of_any_letters_beside_what_else_is_asked() -> None:
    with Server() as server, Rapport(server.url, "rk_x") as client:
        client.chat.complete("ada", "Hello", user="Мая", session="häuser", metadata={"trial": "a"})
    body = json.loads(server.asked[0].body)
    assert (body["user"], body["metadata"]) == ("Мая", {"trial": "a", "session": "häuser"})


def test_a_chats_problem_is_read_out_of_openais_shape() -> None:
    told = {"type": "urn:rapport:problem:invalid", "detail": "user: nobody is named"}
    problem = {**told, "errors": [{"field": "user", "detail": "nobody is named"}]}
    error = {"message": "user: nobody is named", "param": "user", "problem": problem}
    with (
        Server(Told(400, {"error": error})) as server,
        Rapport(server.url, "rk_x") as client,
        pytest.raises(Invalid, match=r"^400 user: nobody is named$") as raised,
    ):
        client.chat.complete("ada", "Hello")
    assert (raised.value.type, raised.value.errors) == (told["type"], problem["errors"])
    assert raised.value.body == {"error": error}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
def test_only_line_breaks_end_a_line_of_a_stream_wherever_it_is_cut(end: str) -> None:
    said = {"content": "one\u2028two\u2029three\x85four"}
    told = f"event: outbox{end}id: 7{end}data: {json.dumps(said, ensure_ascii=False)}{end}{end}: more{end}"
    for size in (1, 7, len(told)):
        reader = EventReader()
        parts = [told[start : start + size] for start in range(0, len(told), size)]
        assert [one for part in parts for one in reader.read(part)] == [Event("outbox", said, "7")]

    async def listen(url: str) -> Any:
        async with AsyncRapport(url, "rk_x") as client:
            return (await anext(client.outbox("r"))).data

    with Server(*[Told(text=told, headers=STREAM)] * 2) as server:
        with Rapport(server.url, "rk_x") as client:
            assert next(client.outbox("r")).data == said
        assert asyncio.run(listen(server.url)) == said


PENDING, APPLIED = ({"id": "t", "state": state, "error": "No server."} for state in ("pending", "applied"))


@pytest.mark.parametrize("wait", [1.4, 30], ids=["of one second and a part", "of thirty"])
def test_a_wait_goes_on_where_the_service_answers_at_once_as_too_many_wait(wait: float) -> None:
    """The answers come after 0, 0.1, 0.3, 0.7 and 1.5 seconds."""
    answers = [Told(202, PENDING), *[Told(body=PENDING)] * 4, Told(body=APPLIED)]

    async def remember(url: str) -> str:
        async with AsyncRapport(url, "rk_x") as client:
            return (await AsyncRelationship(client, "r").remember("Hello.", wait=wait))["state"]

    def remember_at_once(url: str) -> str:
        with Rapport(url, "rk_x") as client:
            return Relationship(client, "r").remember("Hello.", wait=wait)["state"]

    for ask in (remember_at_once, lambda url: asyncio.run(remember(url))):
        with Server(*answers) as server:
            if wait == 30:
                assert ask(server.url) == "applied"
            else:
                with pytest.raises(TimeoutError, match=r"The turn t is neither .* \(No server\.\)"):
                    ask(server.url)


@pytest.mark.parametrize(
    "end", ["", 'data: {"error": {"message": "away"}}\n\n'], ids=["just ends", "tells of it"]
)
def test_a_reply_that_breaks_off_is_an_error(end: str) -> None:
    async def ask(url: str) -> list[str]:
        async with AsyncRapport(url, "rk_x") as client:
            return [piece async for piece in client.chat.stream("ada", "Hello", user="maya")]

    with Server(Told(text=chunk("Good ") + end, headers=STREAM)) as server, pytest.raises(StreamBroken):
        asyncio.run(ask(server.url))


def test_a_stream_that_is_refused_is_a_problem_too() -> None:
    with (
        Server(Told(403, {"detail": "No."})) as server,
        Rapport(server.url, "rk_x") as client,
        pytest.raises(Refused, match="No"),
    ):
        list(client.chat.stream("ada", "Hello", user="maya"))


def test_events_come_back_after_a_cut_and_go_on_after_the_last_one() -> None:
    told = [f"id: {number}-1\nevent: memory.changed\ndata: {number}\n\n" for number in (1, 2)]
    answers = [Told(text=told[0], headers=STREAM), Told(drop=True), Told(text=told[1], headers=STREAM)]

    async def two_events(url: str) -> list[Any]:
        async with AsyncRapport(url, "rk_x") as client:
            events = client.events("r", after="0-0")
            return [(await anext(events)).data, (await anext(events)).data]

    with Server(*answers) as server, Rapport(server.url, "rk_x") as client:
        events = client.events("r", after="0-0")
        assert [next(events).data, next(events).data] == [1, 2]
        assert [asked.headers["last-event-id"] for asked in server.asked] == ["0-0", "1-1", "1-1"]
    with Server(*answers) as server:
        assert asyncio.run(two_events(server.url)) == [1, 2]


@pytest.mark.parametrize(
    ("answer", "asked"), [(Told(403, {"detail": "No."}), 1), (Told(503, {"detail": "No."}), 2)]
)
def test_events_that_are_refused_are_a_problem(answer: Told, asked: int) -> None:
    with Server(answer, answer) as server, Rapport(server.url, "rk_x", retries=1) as client:
        with pytest.raises(ProblemError, match="No"):
            next(client.events("r"))
        assert len(server.asked) == asked


def test_the_address_may_end_in_v1_the_key_in_a_line_break_and_a_text_in_half_a_sign() -> None:
    with Server() as server, Rapport(f"{server.url}/v1/", "rk_x\n") as client:
        client.entries_create("r", type="other", content="Müller \ud83d")
    (asked,) = server.asked
    assert (asked.path, asked.headers["authorization"]) == ("/v1/relationships/r/entries", "Bearer rk_x")
    assert "Müller \\ud83d".encode() in asked.body
    assert json.loads(asked.body)["content"] == "Müller \ud83d"


def test_a_key_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAPPORT_API_KEY", raising=False)
    with pytest.raises(ValueError, match="RAPPORT_API_KEY"):
        Rapport()
