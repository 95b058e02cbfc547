"""POST /turns: what is taken in, what is refused and why, and what the configuration leaves out."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from relationships.models import Companion, EndUser, Message, Relationship, SessionState, Turn
from tests.fixtures.api import Api

HELLO = {"role": "user", "content": "I moved to Lisbon."}
REPLY = {"role": "assistant", "content": "How do you like it there?"}


@pytest.fixture
def path(relationship: Relationship) -> str:
    return f"/relationships/{relationship.id}/turns"


def said(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"messages": list(messages) or [HELLO], **more}


def ago(**time: float) -> str:
    return (timezone.now() - timedelta(**time)).isoformat()


def test_a_turn_is_taken_in_and_waits_for_a_worker(api: Api, path: str, relationship: Relationship) -> None:
    answer = api.post(path, said(HELLO, REPLY))

    assert answer.status == 202
    turn = answer.body
    assert turn["state"] == "pending"
    assert (turn["relationship_id"], turn["session"], turn["seq"]) == (str(relationship.id), "current", 1)
    assert (turn["attempts"], turn["error_code"], turn["error"], turn["waits_for"]) == (0, "", "", "")
    assert turn["due_at"] is not None
    assert (turn["settled_at"], turn["remembered"]) == (None, None)
    messages = Message.objects.for_relationship(relationship.id).order_by("seq")
    assert [(m.seq, m.role, m.content, str(m.turn_id)) for m in messages] == [
        (2, "user", HELLO["content"], turn["id"]),
        (3, "assistant", REPLY["content"], turn["id"]),
    ]


def test_a_turn_can_be_back_dated_and_each_message_has_its_own_time(
    api: Api, path: str, relationship: Relationship
) -> None:
    earlier = {**REPLY, "occurred_at": "2024-05-01T10:00:30+02:00"}
    turn = api.post(path, said(HELLO, earlier, occurred_at="2024-05-01T08:00:00Z")).body

    assert turn["occurred_at"] == "2024-05-01T08:00:00Z"
    assert turn["recorded_at"] > turn["occurred_at"]
    times = (
        Message.objects.for_relationship(relationship.id)
        .order_by("seq")
        .values_list("occurred_at", flat=True)
    )
    assert list(times) == [datetime(2024, 5, 1, 8, tzinfo=UTC), datetime(2024, 5, 1, 8, 0, 30, tzinfo=UTC)]


def test_a_turn_without_a_time_is_of_its_last_messages_where_all_have_one(api: Api, path: str) -> None:
    first, last = ({**REPLY, "occurred_at": f"2024-05-01T08:00:0{second}Z"} for second in (0, 5))

    assert api.post(path, said(first, last)).body["occurred_at"] == "2024-05-01T08:00:05Z"
    assert api.post(path, said(HELLO, last)).body["occurred_at"] > "2026"


def test_clocks_may_differ_by_a_little(api: Api, path: str) -> None:
    assert api.post(path, said(occurred_at=ago(minutes=-4))).status == 202


@pytest.mark.parametrize(
    "when",
    [ago(days=-1), "9999-01-01T00:00:00Z", "9999-12-30T00:00:00Z"],
    ids=["tomorrow", "far", "farthest"],
)
def test_what_was_said_in_the_future_is_refused_or_it_would_outrank_every_later_fact(
    api: Api, path: str, when: str
) -> None:
    of_turn = api.post(path, said(occurred_at=when))
    of_message = api.post(path, said(HELLO, {**REPLY, "occurred_at": when}))

    assert (of_turn.status, of_turn.fields) == (422, ["occurred_at"])
    assert (of_message.status, of_message.fields) == (422, ["messages.1.occurred_at"])
    assert "future" in of_message.body["detail"]
    assert not Turn.objects.exists() and not Message.objects.exists()


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        ([HELLO, {"role": "system", "content": "Be kind."}], "messages.1.role"),
        (
            [{"role": "system", "content": "a"}, HELLO, REPLY, {"role": "system", "content": "b"}],
            "messages.3.role",
        ),
        ([HELLO, {"role": "tool", "content": "12 °C"}], "messages.1.role"),
    ],
)
def test_roles_out_of_order_are_named(api: Api, path: str, messages: list[Any], field: str) -> None:
    answer = api.post(path, said(*messages))

    assert (answer.status, answer.fields) == (422, [field])


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["messages"]),
        ({"messages": []}, ["messages"]),
        ({"messages": [HELLO] * 51}, ["messages"]),
        ({"messages": None}, ["messages"]),
        ({"messages": HELLO}, ["messages"]),
        ({"messages": ["hello"]}, ["messages.0"]),
        (said({"role": "user"}), ["messages.0.content"]),
        (said({"content": "x"}), ["messages.0.role"]),
        (said({"role": "owner", "content": "x"}), ["messages.0.role"]),
        (said({"role": "user", "content": ""}), ["messages.0.content"]),
        (said({"role": "user", "content": " \n\t "}), ["messages.0.content"]),
        (said({"role": "user", "content": 7}), ["messages.0.content"]),
        (said({"role": "user", "content": ["x"]}), ["messages.0.content"]),
        (said(HELLO, {"role": "user", "content": "x" * 65_537}), ["messages.1.content"]),
        (said({"role": "user", "content": "é" * 32_769}), ["messages.0.content"]),
        (said({**HELLO, "speaker": "a\nb"}), ["messages.0.speaker"]),
        (said({**HELLO, "speaker": "x" * 201}), ["messages.0.speaker"]),
        (said({**HELLO, "metadata": {"a": "x" * 16_384}}), ["messages.0.metadata"]),
        (said({**HELLO, "colour": "red"}), ["messages.0.colour"]),
        (said(colour="red"), ["colour"]),
        (said(session=""), ["session"]),
        (said(session="a/b"), ["session"]),
        (said(session="."), ["session"]),
        (said(session=".."), ["session"]),
        (said(session="a\nb"), ["session"]),
        (said(session="x" * 201), ["session"]),
        (said(session=7), ["session"]),
        (said(occurred_at="yesterday"), ["occurred_at"]),
        (said(occurred_at=1772442000), ["occurred_at"]),
        (said(config=[]), ["config"]),
        (said(config={"ingestion": {"max_batch": 0}}), ["config.ingestion.max_batch"]),
        (said(config={"ingestion": {"bach": 1}}), ["config.ingestion.bach"]),
        (said(config={"ingestion": {"trigger": {"n": 0}}}), ["config.ingestion.trigger.n"]),
        (said(config={"ingestion": {"provider": "os.system"}}), ["config.ingestion.provider"]),
        (said(config={"weather": True}), ["config.weather"]),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_kept(
    api: Api, path: str, body: Any, fields: list[str]
) -> None:
    answer = api.post(path, body)

    assert (answer.status, answer.fields) == (422, fields)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert not Turn.objects.exists() and not Message.objects.exists() and not SessionState.objects.exists()
    assert Relationship.objects.get().last_seq == 0


def test_as_much_as_is_allowed_is_kept_whole(api: Api, path: str) -> None:
    long = {"role": "user", "content": "é" * 32_768}
    many = [
        {"role": "user", "content": f"{number} \U0001f468‍\U0001f469‍\U0001f467 مرحبا"} for number in range(49)
    ]

    assert api.post(path, said(long, *many, session="Gespräch 7 \U0001f98a")).status == 202
    assert Message.objects.get(seq=2).content == long["content"]
    assert [m.content for m in Message.objects.filter(seq__gt=2).order_by("seq")] == [
        m["content"] for m in many
    ]


def test_a_session_knows_how_many_turns_it_had(api: Api, path: str) -> None:
    for session in ("web-1", "web-1", "web-2"):
        api.post(path, said(session=session))

    assert dict(SessionState.objects.values_list("session", "turns")) == {"web-1": 2, "web-2": 1}


@pytest.mark.parametrize(
    ("config", "code", "words"),
    [
        ({"enabled": False}, "disabled", "ingestion.enabled"),
        ({"roles": ["assistant"]}, "roles", "ingestion.roles: assistant"),
        ({"roles": []}, "roles", "ingestion.roles: none"),
    ],
    ids=["disabled", "other roles", "no roles"],
)
def test_what_the_configuration_leaves_out_is_kept_and_skipped_with_its_reason(
    api: Api, path: str, config: dict[str, Any], code: str, words: str
) -> None:
    answer = api.post(path, said(config={"ingestion": config}))

    assert (answer.status, answer.body["state"], answer.body["error_code"]) == (202, "skipped", code)
    assert words in answer.body["error"]
    assert answer.body["settled_at"] is not None
    assert answer.body["remembered"] == []
    assert Message.objects.count() == 1


def test_a_turn_of_somebody_who_paused_is_skipped(api: Api, path: str, end_user: EndUser) -> None:
    api.patch(f"/users/{end_user.id}", {"ingestion_paused": True})

    assert api.post(path, said()).body["error_code"] == "paused"


def test_what_is_skipped_is_answered_at_once_to_who_would_wait(api: Api, path: str) -> None:
    answer = api.post(f"{path}?wait=30", said(config={"ingestion": {"enabled": False}}))

    assert (answer.status, answer.body["state"]) == (200, "skipped")


def test_the_companions_trigger_decides_when_a_turn_is_read(
    api: Api, path: str, companion: Companion
) -> None:
    api.patch(
        f"/companions/{companion.id}/config", {"ingestion": {"trigger": {"mode": "every_n_turns", "n": 2}}}
    )

    first = api.post(path, said()).body
    second = api.post(path, said()).body

    assert (first["due_at"], first["waits_for"]) == (None, "every_n_turns")
    assert (second["due_at"] is not None, second["waits_for"]) == (True, "")
    assert api.get(f"{path}/{first['id']}").body["due_at"] == second["due_at"]
