"""A message about a plan is delivered only while the plan reads as it did."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memory.models import ScratchpadEntry
from tests.fixtures.api import Api
from tests.fixtures.behaviours import behave, outbox_of, work
from tests.fixtures.contexts import remember
from tests.fixtures.turns import Conversation


@pytest.fixture
def plan(conversation: Conversation) -> ScratchpadEntry:
    """A message about it waits."""
    luck = {"message": "Good luck: {{ dated[0].content }}", "when": {"happens": {}}}
    behave(conversation.relationship, luck=luck)
    today = datetime.now(UTC).date().isoformat()
    [plan] = remember(conversation.relationship, "Has an interview", type="event", happens_at=today)
    conversation.say("Hi")
    work(conversation)
    assert outbox_of(conversation) == ["Good luck: Has an interview"]
    return plan


def waiting(api: Api, plan: ScratchpadEntry, query: str = "") -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = api.get(f"/relationships/{plan.relationship_id}/outbox{query}").body[
        "items"
    ]
    return items


@pytest.mark.parametrize("change", [{"content": "Has an exam"}, {"happens_at": "2030-01-01"}])
def test_an_edit_of_what_it_quotes_holds_it_back_and_what_was_delivered_stays_listed(
    change: dict[str, str], api: Api, plan: ScratchpadEntry
) -> None:
    at = f"/relationships/{plan.relationship_id}"

    assert api.patch(f"{at}/entries/{plan.id}", change).status == 200

    assert waiting(api, plan) == []
    [held] = waiting(api, plan, "?hidden=true")
    assert api.patch(f"{at}/entries/{plan.id}", {name: getattr(plan, name) for name in change}).status == 200
    assert waiting(api, plan) == [held]
    assert api.post(f"{at}/outbox/{held['id']}/ack").status == 200
    assert api.patch(f"{at}/entries/{plan.id}", change).status == 200
    assert len(waiting(api, plan, "?acknowledged=true")) == 1


def test_a_deleted_plan_holds_it_back_until_it_is_restored(api: Api, plan: ScratchpadEntry) -> None:
    entry = f"/relationships/{plan.relationship_id}/entries/{plan.id}"

    assert api.delete(entry).status == 200
    assert waiting(api, plan) == []

    assert api.post(f"{entry}/restore").status == 200
    assert len(waiting(api, plan)) == 1


def test_other_changes_of_a_plan_do_not(api: Api, plan: ScratchpadEntry) -> None:
    entry = f"/relationships/{plan.relationship_id}/entries/{plan.id}"

    assert api.patch(entry, {"pinned": True, "tier": "archive"}).status == 200

    assert len(waiting(api, plan)) == 1


@pytest.mark.parametrize("left_out", ["fired_at", "happens_at"])
def test_an_archive_without_what_it_need_not_say_leaves_the_outbox_readable(
    left_out: str, api: Api, conversation: Conversation
) -> None:
    behave(conversation.relationship, luck={"message": "{{ dated[0].content }}", "when": {"happens": {}}})
    at, dated = f"/relationships/{conversation.relationship.id}", datetime.now(UTC).date().isoformat()
    exam = {"content": "Has an exam", "type": "event", "happens_at": dated}
    entry = api.post(f"{at}/entries", exam).body["id"]
    conversation.say("Hi")
    work(conversation)
    api.patch(f"{at}/entries/{entry}", {"pinned": True})
    archive = api.get(f"{at}/export").body
    for run in archive["behaviour_runs"]:
        run["fired_at"] = None if left_out == "fired_at" else run["fired_at"]
    for fields in (revision[side] or {} for revision in archive["revisions"] for side in ("before", "after")):
        fields.pop(left_out, None)
    new = api.post("/relationships", {"companion": archive["companion"]["slug"], "user": "moved"}).body["id"]
    assert api.post(f"/relationships/{new}/import", archive).status == 200

    listed = api.get(f"/relationships/{new}/outbox")

    assert listed.status == 200
    assert [one["content"] for one in listed.body["items"]] == ["Has an exam"] * (left_out == "fired_at")
