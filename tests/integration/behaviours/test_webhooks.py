"""Webhooks: signed, tried again, given up visibly, and never into the operator's own network."""

import base64
import hashlib
import hmac
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from behaviours.models import BehaviourRun
from behaviours.runs import retry_run
from tests.fixtures.api import Api
from tests.fixtures.behaviours import behave, runs_of, work
from tests.fixtures.turns import Conversation
from tests.fixtures.webhooks import WebhookServer, in_metrics
from worker.silence import OWN_ADDRESSES, SILENT_SECONDS, CallsInFlight


def tell(conversation: Conversation, url: str) -> None:
    behave(
        conversation.relationship,
        tell={"webhook": {"url": url, "text": "{{ user }}: {{ message }}", "data": {"team": "blue"}}},
    )
    conversation.say("Call me")


def due_now(run: BehaviourRun) -> None:
    BehaviourRun.objects.filter(id=run.id).update(due_at=run.recorded_at)


def test_it_is_called_with_what_was_said_and_signed(
    conversation: Conversation, webhook: WebhookServer, api: Api
) -> None:
    tell(conversation, webhook.url)

    work(conversation)

    [call], [run] = webhook.calls, runs_of(conversation)
    assert (run.state, run.outcome, run.answer) == ("done", "The address answered 200.", "Okay")
    assert run.rendered.encode() == call.body
    data = call.json["data"]
    assert (data["text"], data["team"], data["behaviour"]) == ("Maya: Call me", "blue", "tell")
    assert (data["relationship"], data["user"], data["turn"]["id"]) == (
        str(conversation.relationship.id),
        "maya",
        str(run.turn_id),
    )
    # As the specification of Standard Webhooks says, with the secret that the API hands out.
    secret = api.get(f"/companions/{conversation.relationship.companion_id}/webhook-secret").body["secret"]
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{call.headers['webhook-id']}.{call.headers['webhook-timestamp']}.".encode() + call.body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert call.headers["webhook-signature"] == f"v1,{expected}"
    assert call.headers["webhook-id"] == str(run.id)


def test_while_the_secret_is_changed_it_is_signed_by_both(
    conversation: Conversation, webhook: WebhookServer, api: Api
) -> None:
    tell(conversation, webhook.url)
    companion = f"/companions/{conversation.relationship.companion_id}"
    keys = []
    for secrets in ([0], [1, 0]):
        api.patch(f"{companion}/config", {"webhooks": {"secrets": secrets}})
        secret = api.get(f"{companion}/webhook-secret").body["secret"]
        keys.append(base64.b64decode(secret.removeprefix("whsec_")))

    work(conversation)

    [call] = webhook.calls
    signed = f"{call.headers['webhook-id']}.{call.headers['webhook-timestamp']}.".encode() + call.body
    old, new = (base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode() for key in keys)
    assert call.headers["webhook-signature"] == f"v1,{new} v1,{old}"
    assert old != new


def test_it_is_held_back_while_many_earlier_calls_of_the_project_are_not_answered(
    conversation: Conversation, webhook: WebhookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    in_flight = CallsInFlight(readers=2, clock=lambda: clock[0])
    monkeypatch.setattr("behaviours.webhooks.calls_in_flight", in_flight)
    tell(conversation, webhook.url)

    with in_flight.call(conversation.relationship.project_id, OWN_ADDRESSES):
        clock[0] += SILENT_SECONDS + 1
        work(conversation)
        [run] = runs_of(conversation)
        assert (run.state, run.error_code, run.attempts) == ("pending", "held_back", 0)
        assert run.error == "Not sent: earlier calls still wait for their answers, the oldest for 11 s."
    assert webhook.calls == []

    due_now(run)
    work(conversation)
    assert [run.state for run in runs_of(conversation)] == ["done"]


def test_the_longest_message_is_cut_to_the_templates_limit(
    conversation: Conversation, webhook: WebhookServer
) -> None:
    behave(conversation.relationship, tell={"webhook": {"url": webhook.url}})
    conversation.say("x" * 65_536)

    work(conversation)

    assert runs_of(conversation)[0].state == "done"
    assert webhook.calls[0].json["data"]["text"] == "x" * 20_000 + "…"


def test_it_is_tried_again_under_the_same_id(conversation: Conversation, webhook: WebhookServer) -> None:
    webhook.statuses.extend([503, 429])
    tell(conversation, webhook.url)

    work(conversation)
    [run] = runs_of(conversation)
    assert (run.state, run.error_code, run.attempts) == ("pending", "status_503", 1)
    for _ in range(2):
        due_now(run)
        work(conversation)

    assert runs_of(conversation)[0].state == "done"
    assert {call.headers["webhook-id"] for call in webhook.calls} == {str(run.id)}
    assert len(webhook.calls) == 3


def test_it_waits_as_long_as_the_address_asks_for(conversation: Conversation, webhook: WebhookServer) -> None:
    webhook.statuses.append(429)
    webhook.retry_after = "300"
    tell(conversation, webhook.url)

    work(conversation)

    [run] = runs_of(conversation)
    assert run.due_at is not None and run.due_at - run.recorded_at >= timedelta(seconds=300)


def test_one_that_will_not_be_taken_is_a_dead_letter_that_can_be_sent_again(
    conversation: Conversation, webhook: WebhookServer, api: Api
) -> None:
    webhook.statuses.append(404)
    tell(conversation, webhook.url)

    work(conversation)

    at = f"/relationships/{conversation.relationship.id}/behaviour-runs"
    [dead] = api.get(f"{at}?state=failed&action=webhook").body["items"]
    assert (dead["error_code"], dead["error"]) == ("status_404", "The address answered 404.")
    retry_run(relationship_id=conversation.relationship.id, run_id=dead["id"])
    work(conversation)
    assert api.get(f"{at}/{dead['id']}").body["state"] == "done"


def test_it_is_given_up_after_the_last_attempt_and_metrics_say_so_for_a_day(
    conversation: Conversation, webhook: WebhookServer, settings: Settings, client: Client
) -> None:
    settings.MAX_ATTEMPTS = 2
    webhook.statuses.extend([500, 500])
    tell(conversation, webhook.url)

    said = []
    for _ in range(2):
        due_now(runs_of(conversation)[0])
        work(conversation)
        said += in_metrics(client, "rapport_other_work")

    [run] = runs_of(conversation)
    assert run.state == "failed"
    of = f'kind="behaviour_run",project="{run.project_id}"'
    assert said == [f'{{{of},state="{state}"}} 1.0' for state in ("retrying", "failed")]
    BehaviourRun.objects.filter(id=run.id).update(settled_at=timezone.now() - timedelta(hours=25))
    assert not in_metrics(client, "rapport_other_work")


@pytest.mark.parametrize("host", ["127.0.0.1", "10.0.0.1", "[::1]", "169.254.169.254", "localhost"])
def test_an_address_of_a_private_network_is_not_called(host: str, conversation: Conversation) -> None:
    tell(conversation, f"http://{host}:9/hook")

    work(conversation)

    [run] = runs_of(conversation)
    assert (run.state, run.attempts) == ("failed", 0)
    assert "private network" in run.error
