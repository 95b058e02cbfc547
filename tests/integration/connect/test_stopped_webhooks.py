"""Deliveries of events that were given up: they are seen, and continue when they are replayed."""

import pytest
from django.test import Client
from django.utils import timezone

from connect.events.owed import owe_delivery
from connect.models import EventDelivery
from relationships.models import Relationship
from tests.fixtures.api import Api, add_entry
from tests.fixtures.people import meet, meet_elsewhere
from tests.fixtures.webhooks import WebhookServer, deliver, in_metrics, listen


def told(webhook: WebhookServer) -> list[str]:
    return [call.json["data"]["entry_id"] for call in webhook.calls]


def test_one_that_is_given_up_is_seen_and_goes_on_when_it_is_replayed(
    api: Api, at: str, relationship: Relationship, webhook: WebhookServer
) -> None:
    listen(relationship, webhook.url)
    webhook.statuses.append(410)
    entries = [add_entry(api, at, f"Fact {number}.") for number in range(2)]
    assert deliver(relationship).state == "failed"
    entries.append(add_entry(api, at, "Later."))
    deliver(relationship)
    seen = api.get(f"{at}/events/delivery").body
    assert (seen["state"], seen["error"]) == ("failed", "The address answered 410.")
    (failed,) = api.get("/events/failed").body["items"]
    assert failed.items() <= {**seen, "relationship": str(relationship.id)}.items()
    missed = api.get(f"{at}/events?after={seen['after']}").body["items"]
    assert [one["data"]["entry_id"] for one in missed] == entries

    assert api.post(f"{at}/events/replay").status == 202
    assert deliver(relationship).state == "waiting"
    assert not api.get("/events/failed").body["items"]
    assert told(webhook) == [entries[0], *entries]
    assert api.post(f"{at}/events/replay", {"after": "0-0"}).status == 202
    deliver(relationship)
    assert told(webhook)[4:] == entries
    assert api.post(f"{at}/events/replay", {"after": "soon"}).fields == ["after"]
    listen(relationship, None)
    assert api.post(f"{at}/events/replay").status == 409


def test_metrics_say_whose_events_wait_for_another_try_and_whose_were_given_up_until_they_are_replayed(
    api: Api, at: str, relationship: Relationship, webhook: WebhookServer, client: Client
) -> None:
    listen(relationship, webhook.url)
    add_entry(api, at, "Somebody moved.")
    webhook.statuses.extend((503, 400))
    said = []
    for _ in range(2):
        deliver(relationship)
        said += in_metrics(client, "rapport_other_work")
    of = f'kind="event_delivery",project="{relationship.project_id}"'
    assert said == [f'{{{of},state="{state}"}} 1.0' for state in ("retrying", "failed")]
    assert api.post(f"{at}/events/replay").status == 202
    deliver(relationship)
    assert not in_metrics(client, "rapport_other_work")


def test_after_an_outage_all_that_stopped_in_the_project_continues_with_one_request(
    api: Api, relationship: Relationship, webhook: WebhookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connect.events.owed.CONTINUED_AT_ONCE", 1)
    stopped = [relationship, meet(relationship.companion)]
    others = meet(relationship.companion), meet_elsewhere()
    listen(relationship, webhook.url)
    for one in (*stopped, others[0]):
        add_entry(api, f"/relationships/{one.id}", "Likes tea.")
    webhook.statuses.extend((400, 400))
    assert {deliver(one).state for one in stopped} == {"failed"}
    owe_delivery(others[1].id, others[1].project_id, now=timezone.now())
    EventDelivery.objects.for_relationship(others[1].id).update(state="failed")
    untouched = EventDelivery.objects.filter(relationship__in=others).order_by("relationship_id").values()
    before = list(untouched)

    answers = [api.post("/events/failed/replay") for _ in range(2)]

    assert [(one.status, one.body) for one in answers] == [(202, {"replayed": 2}), (202, {"replayed": 0})]
    assert {deliver(one).state for one in stopped} == {"waiting"}
    assert len(webhook.calls) == 4
    assert list(untouched) == before
