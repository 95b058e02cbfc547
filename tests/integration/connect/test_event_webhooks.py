"""Events by webhook: each once, in order, signed, tried again under its ID, given up visibly, and told again."""

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ
from structlog.testing import capture_logs

from behaviours.webhooks import sign
from connect.events.owed import TASK
from connect.models import EventDelivery
from memory.models import HeldDeletion
from providers.errors import ContentBlocked
from relationships.models import Relationship, SessionState, Turn
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api, add_entry
from tests.fixtures.certificates import with_own_certificate
from tests.fixtures.turns import Conversation, answer, delete
from tests.fixtures.webhooks import WebhookServer, deliver, listen


def told(webhook: WebhookServer) -> list[str]:
    return [call.json["data"]["entry_id"] for call in webhook.calls]


def test_each_change_is_delivered_once_in_order_signed_and_without_texts(
    api: Api, at: str, relationship: Relationship, webhook: WebhookServer
) -> None:
    before = add_entry(api, at, "Before anybody listened.")
    listen(relationship, webhook.url)
    entries = [add_entry(api, at, f"Fact {number}.") for number in range(3)]
    deliver(relationship)
    deliver(relationship)

    assert told(webhook) == entries and before not in entries
    call = webhook.calls[0]
    assert (call.json["type"], call.json["data"]["event"]) == ("memory.changed", "add")
    assert call.json["data"]["user"] == "maya"
    assert b"Fact" not in call.body
    key, stamp = call.headers["webhook-id"], int(call.headers["webhook-timestamp"])
    expected = sign(relationship.companion_id, secrets=[0], webhook_id=key, timestamp=stamp, body=call.body)
    assert call.headers["webhook-signature"] == expected
    assert len({one.headers["webhook-id"] for one in webhook.calls}) == 3


def test_a_long_delivery_is_left_to_another_task_after_an_event(
    api: Api, at: str, relationship: Relationship, webhook: WebhookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.fairness.MOST_SECONDS", 0.0)
    listen(relationship, webhook.url)
    entries = [add_entry(api, at, f"Fact {number}.") for number in range(3)]
    webhook.statuses.append(503)
    assert deliver(relationship).error_code == "status_503"
    OrmQ.objects.all().delete()
    for number in range(3):
        assert deliver(relationship, now=not number).error_code == ""
        assert told(webhook)[1:] == entries[: number + 1]
        assert [task.task["func"] for task in OrmQ.objects.all()] == [TASK] * (number + 1)


def test_a_change_that_comes_just_as_a_delivery_ends_is_delivered_without_waiting_for_the_sweep(
    api: Api, at: str, relationship: Relationship, webhook: WebhookServer
) -> None:
    """Its own task found the delivery held by a worker, and did nothing."""
    listen(relationship, webhook.url)
    entries = [add_entry(api, at, "Fact 0.")]

    def meanwhile(execute: Any, statement: str, *rest: Any) -> Any:
        if "FOR UPDATE" in statement and "connect_eventdelivery" in statement and told(webhook) == entries:
            entries.append(add_entry(api, at, "Fact 1."))
            OrmQ.objects.all().delete()
        return execute(statement, *rest)

    with connection.execute_wrapper(meanwhile):
        deliver(relationship)
    assert [task.task["func"] for task in OrmQ.objects.all()] == [TASK]
    deliver(relationship, now=False)

    assert told(webhook) == entries


def test_a_refused_event_is_retried_under_its_id_before_later_ones(
    api: Api, at: str, relationship: Relationship, webhook: WebhookServer
) -> None:
    listen(relationship, webhook.url)
    webhook.statuses.extend([200, 503])
    entries = [add_entry(api, at, f"Fact {number}.") for number in range(2)]
    waiting = deliver(relationship)
    assert (waiting.state, waiting.attempts, waiting.error_code) == ("waiting", 1, "status_503")
    assert waiting.due_at is not None and waiting.due_at > timezone.now()
    entries.append(add_entry(api, at, "Meanwhile."))
    assert deliver(relationship, now=False).attempts == 1  # its time has not come

    assert deliver(relationship).attempts == 0
    assert told(webhook) == [entries[0], entries[1], entries[1], entries[2]]
    ids = [call.headers["webhook-id"] for call in webhook.calls]
    assert ids[1] == ids[2] and len(set(ids)) == 3


def test_a_certificate_that_nobody_trusts_is_named_where_an_operator_looks(
    api: Api, at: str, relationship: Relationship, webhook: WebhookServer, tmp_path: Path
) -> None:
    with_own_certificate(webhook.http, tmp_path / "certificate.pem")
    listen(relationship, webhook.url.replace("http:", "https:"))
    add_entry(api, at, "A fact.")

    with capture_logs() as logs:
        deliver(relationship)
    (line,) = logs
    assert (line["event_name"], line["code"]) == ("events.delivery.failed", "certificate_refused")
    why = api.get(f"{at}/events/delivery").body["error"]
    assert why == "The host's certificate is not accepted: self-signed certificate."


def test_an_event_that_is_replayed_has_the_id_that_it_had_the_first_time(
    api: Api, at: str, relationship: Relationship, webhook: WebhookServer
) -> None:
    listen(relationship, webhook.url)
    add_entry(api, at, "Likes tea.")
    add_entry(api, at, "Likes coffee.")
    deliver(relationship)
    api.post(f"{at}/events/replay", {"after": "0-0"})
    deliver(relationship)

    ids = [call.headers["webhook-id"] for call in webhook.calls]
    assert ids[:2] == ids[2:] and ids[0] != ids[1]
    missed = api.get(f"{at}/events?after={webhook.calls[0].json['id']}").body["items"]
    assert [one["data"]["entry_id"] for one in missed] == told(webhook)[1:2]


def test_two_events_of_the_same_moment_are_both_delivered(
    api: Api, at: str, relationship: Relationship, webhook: WebhookServer
) -> None:
    listen(relationship, webhook.url)
    add_entry(api, at, "Likes tea.")
    deliver(relationship)
    moment = timezone.now()
    for session in ("phone", "web"):
        SessionState.objects.create(
            relationship=relationship, project_id=relationship.project_id, session=session,
            last_active_at=moment, ended_at=moment - timedelta(seconds=2),
        )  # fmt: skip
    EventDelivery.objects.update(at=moment - timedelta(minutes=1), due_at=moment)
    webhook.statuses.extend([200, 503, 200, 503])

    assert deliver(relationship).error_code == "status_503"
    EventDelivery.objects.update(due_at=timezone.now())
    assert deliver(relationship).attempts == 2  # though the first was taken again
    add_entry(api, at, "Meanwhile.")
    assert deliver(relationship).attempts == 0
    ended = [call for call in webhook.calls if call.json["type"] == "session.ended"]
    sessions = [call.json["data"]["session"] for call in ended]
    assert sorted(sessions[:2]) == ["phone", "web"]
    assert sessions == 3 * sessions[:2]
    ids = [call.headers["webhook-id"] for call in ended]
    assert ids == 3 * ids[:2]
    assert ids[0] != ids[1]


def settle() -> None:
    """As if what happened so far were two seconds old."""
    before = timezone.now() - timedelta(seconds=2)
    Turn.objects.filter(settled_at__isnull=False).update(settled_at=before)
    HeldDeletion.objects.update(recorded_at=before)
    SessionState.objects.filter(ended_at__isnull=False).update(ended_at=before)
    EventDelivery.objects.update(at=before - timedelta(minutes=1))


def test_a_turn_that_fails_again_when_retried_is_delivered_again(
    api: Api,
    at: str,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    webhook: WebhookServer,
) -> None:
    relationship = conversation.relationship
    listen(relationship, webhook.url, types=["turn.failed"])
    relationship.companion.refresh_from_db()
    turn = conversation.say("Call me Maya.")
    assert deliver(relationship).due_at is None  # it is woken when something happens
    for times in (1, 2):
        scripted_provider.answer_with(ContentBlocked("no"))
        conversation.drain()
        assert conversation.again(turn).state == "failed"

        assert deliver(relationship).due_at is not None  # until what happened has settled
        settle()
        assert deliver(relationship).due_at is None
        told = [(call.json["type"], call.json["data"]["id"]) for call in webhook.calls]
        assert told == [("turn.failed", str(turn.id))] * times
        assert api.post(f"{at}/turns/{turn.id}/retry").status == 202
        EventDelivery.objects.update(at=timezone.now())
    assert len({call.headers["webhook-id"] for call in webhook.calls}) == 2


HAPPENS = ("turn.failed", "deletions.held", "session.ended")


@pytest.mark.parametrize("kind", HAPPENS)
def test_the_first_event_after_a_webhook_was_set_is_delivered(
    kind: str,
    api: Api,
    at: str,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    webhook: WebhookServer,
) -> None:
    relationship = conversation.relationship
    conversation.remember(*"abcd")
    if kind == "session.ended":
        api.patch(f"{at}/sessions/web", {"state": {"mood": "good"}})
    else:
        conversation.say("Forget it all.")
        held = answer(*map(delete, range(1, 5)))
        scripted_provider.answer_with(held if kind == "deletions.held" else ContentBlocked("no"))
    listen(relationship, webhook.url)
    assert not EventDelivery.objects.exists()

    happens = partial(api.post, f"{at}/sessions/web/end") if kind == "session.ended" else conversation.drain
    happens()
    settle()
    deliver(relationship)

    assert [call.json["type"] for call in webhook.calls] == [kind]


@pytest.mark.parametrize("host", ["127.0.0.1", "10.0.0.1", "[::1]", "169.254.169.254", "localhost"])
def test_an_address_of_a_private_network_is_not_called(
    api: Api, at: str, relationship: Relationship, host: str
) -> None:
    listen(relationship, f"http://{host}:9/hook")
    add_entry(api, at, "Likes tea.")
    refused = deliver(relationship)
    assert (refused.state, refused.attempts) == ("failed", 0)
    assert "private network" in refused.error


def test_an_ended_session_is_delivered_and_without_a_webhook_nothing_is_owed(
    api: Api, at: str, relationship: Relationship, webhook: WebhookServer
) -> None:
    add_entry(api, at, "Likes tea.")
    assert not EventDelivery.objects.exists()
    listen(relationship, webhook.url, types=["session.ended"])
    api.patch(f"{at}/sessions/web", {"state": {"mood": "good"}})
    add_entry(api, at, "Likes coffee.")
    EventDelivery.objects.update(due_at=None)
    api.post(f"{at}/sessions/web/end")
    assert EventDelivery.objects.get().due_at is not None
