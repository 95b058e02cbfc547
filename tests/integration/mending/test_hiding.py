"""Messages are hidden and shown again by themselves: the index stays true, and nothing else of them can change."""

from uuid import UUID

import pytest
from django.db import DatabaseError, transaction

from behaviours.models import BehaviourRun, OutboxMessage
from behaviours.outbox import stream
from relationships.ids import uuid7
from relationships.models import Message, Turn
from tests.fixtures.api import Api
from tests.fixtures.people import MORNING, meet
from tests.fixtures.turns import Conversation
from tests.integration.mending.test_forget import SAID, summarise
from upkeep.verification import verify


def whatever_is_wrong() -> list[str]:
    return [str(problem) for problem in verify().as_json()["problems"]]


def says(api: Api, path: str) -> bool:
    return "Klosterneuburg" in api.get(path).raw.decode()


def waiting(relationship_id: UUID) -> list[bytes]:
    return [
        event for event in stream(relationship_id=relationship_id, seconds=0, after=None) if b"data:" in event
    ]


def test_messages_are_hidden_by_turn_and_range_and_the_index_stays_true(
    api: Api, at: str, told: Conversation, account: object
) -> None:
    turn = Turn.objects.get()
    hidden = api.post(f"{at}/messages/hide", {"turns": [str(turn.id)]})
    assert hidden.status == 200 and hidden.body["changed"] == 4
    assert api.get(f"{at}/messages").body["items"] == []
    assert len(api.get(f"{at}/messages?hidden=true").body["items"]) == 4
    assert whatever_is_wrong() == []

    shown_again = api.post(f"{at}/messages/show", {"from_seq": turn.seq + 1, "to_seq": turn.seq + 2})
    assert shown_again.body["changed"] == 2
    assert api.post(f"{at}/messages/search", {"query": "Klosterneuburg"}).body["items"]
    assert whatever_is_wrong() == []


def test_a_hidden_message_can_be_shown_and_nothing_else_of_it_can_change(told: Conversation) -> None:
    message = Message.objects.order_by("seq").first()
    assert message is not None
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Message.objects.filter(id=message.id).update(hidden_at=MORNING, content="something else")


def test_what_behaviours_did_about_what_is_hidden_is_told_and_exported_no_more(
    api: Api, at: str, told: Conversation
) -> None:
    pair, turn = told.relationship, Turn.objects.get()
    owned = {"relationship": pair, "project_id": pair.project_id, "behaviour": "greet", "turn_id": turn.id}
    said = {"rendered": SAID, "answer": SAID, "outcome": SAID}
    for kind, turn_id in (("async", turn.id), ("priority", None)):
        run = BehaviourRun(
            **{**owned, "turn_id": turn_id},
            kind=kind,
            occasion=f"turn:{kind}",
            session="s",
            action="call",
            state="done",
            fired_at=MORNING,
            **said,
        )
        run.save(force_insert=True)
    OutboxMessage(**owned, run_id=uuid7(), content=SAID).save(force_insert=True)
    assert api.get(f"{at}/export").raw.decode().count(SAID) > 6
    runs = api.get(f"{at}/behaviour-runs").body["items"]
    asked = [f"{at}/behaviour-runs", f"{at}/outbox", *(f"{at}/behaviour-runs/{run['id']}" for run in runs)]
    assert [says(api, path) for path in asked] == [True] * 4
    assert len(waiting(pair.id)) == 1

    api.post(f"{at}/messages/hide", {"turns": [str(turn.id)]})
    for entry in told.entries:
        api.delete(f"{at}/entries/{entry.id}")

    assert [says(api, path) for path in asked] == [False] * 4
    assert [says(api, f"{path}?hidden=true") for path in asked] == [True] * 4
    assert waiting(pair.id) == []
    archive = api.get(f"{at}/export?calls=true")
    assert b"Klosterneuburg" not in archive.raw
    other = meet(pair.companion)
    assert api.post(f"/relationships/{other.id}/import", archive.body).status == 200


def test_a_summary_that_is_hidden_is_read_without_its_words(api: Api, at: str, told: Conversation) -> None:
    summary = summarise(told, SAID)
    path = f"{at}/summaries/{summary.id}"
    assert says(api, path)
    api.post(f"{at}/messages/hide", {"turns": [str(Turn.objects.get().id)]})

    assert not says(api, path) and api.get(path).body["state"] == "hidden"
    assert says(api, f"{path}?hidden=true")
