"""Events as a page: what happened, in order, after a place."""

import re
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from connect.events import view
from connect.events.reading import _KINDS, MOST, Place, happened_after, is_more_to_tell, present_place
from memory.models import HeldDeletion
from relationships.models import Relationship, SessionState, Turn, TurnState
from tests.fixtures.api import Api
from tests.fixtures.distributed import DISTRIBUTED
from tests.fixtures.webhooks import deliver, listen
from tests.integration.test_beside_a_large_neighbour import multiply, rows_read
from web.streams import NOTHING


def remember_more_than_a_page(api: Api, at: str) -> None:
    facts = [{"content": f"Fact {number}.", "type": "other"} for number in range(MOST + 5)]
    for some in (facts[:MOST], facts[MOST:]):
        assert api.post(f"{at}/entries/bulk", {"entries": some}).status == 201


def test_every_change_of_memory_is_listed_in_order_and_once(api: Api, at: str) -> None:
    start = api.get(f"{at}/events").body["next"]
    entry = api.post(f"{at}/entries", {"content": "Likes tea.", "type": "preference"}).body
    api.patch(f"{at}/entries/{entry['id']}", {"content": "Likes coffee."})
    api.delete(f"{at}/entries/{entry['id']}")

    page = api.get(f"{at}/events?after={start}").body
    assert [(one["type"], one["data"]["event"]) for one in page["items"]] == [
        ("memory.changed", event) for event in ("add", "update", "delete")
    ]
    assert "Likes" not in str(page)
    after_the_first = api.get(f"{at}/events?after={page['items'][0]['id']}").body["items"]
    assert [one["data"]["event"] for one in after_the_first] == ["update", "delete"]
    by_header = api.get(f"{at}/events", last_event_id=page["items"][1]["id"]).body["items"]
    assert [one["data"]["event"] for one in by_header] == ["delete"]
    assert api.get(f"{at}/events?after={page['next']}").body["items"] == []


def test_failed_turns_held_deletions_and_ended_sessions_are_listed_once_settled(
    relationship: Relationship,
) -> None:
    now = timezone.now()
    owner = {"relationship": relationship, "project_id": relationship.project_id}
    start = Place(0, now - timedelta(minutes=1))
    turn = Turn.objects.create(
        **owner, seq=1, occurred_at=now, state=TurnState.FAILED, settled_at=now - timedelta(seconds=5)
    )
    HeldDeletion.objects.create(**owner, turn_id=turn.id)
    SessionState.objects.create(
        **owner, session="web", last_active_at=now, ended_at=now - timedelta(seconds=3)
    )

    told, place = happened_after(relationship.id, start, now=now)
    assert [one.type for one in told] == ["turn.failed", "session.ended"]
    later, place = happened_after(relationship.id, place, now=timezone.now() + timedelta(seconds=2))
    assert [one.type for one in later] == ["deletions.held"]
    assert happened_after(relationship.id, place, now=timezone.now() + timedelta(seconds=2))[0] == []


def test_a_long_history_comes_whole_page_after_page(api: Api, at: str, relationship: Relationship) -> None:
    remember_more_than_a_page(api, at)
    seen: list[str] = []
    place = Place(0, timezone.now())
    for _ in range(3):
        told, place = happened_after(relationship.id, place, now=timezone.now())
        seen += [str(one.data["entry_id"]) for one in told]
    assert told == []
    assert len(seen) == len(set(seen)) == MOST + 5


def ended_together(relationship: Relationship, count: int, at: datetime) -> None:
    SessionState.objects.bulk_create(
        SessionState(
            relationship=relationship,
            project_id=relationship.project_id,
            session=f"web-{number}",
            last_active_at=at,
            ended_at=at,
        )
        for number in range(count)
    )


def test_more_than_a_page_of_one_moment_comes_whole(relationship: Relationship) -> None:
    now = timezone.now()
    ended_together(relationship, MOST + 5, now - timedelta(seconds=3))

    told, place = happened_after(relationship.id, Place(0, now - timedelta(minutes=1)), now=now)

    assert len({one.data["session"] for one in told}) == MOST + 5
    assert happened_after(relationship.id, place, now=now)[0] == []


@pytest.mark.django_db(transaction=True)
def test_a_silent_stream_looks_whether_its_client_is_still_there(
    relationship: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "LONGEST", 0.5)
    monkeypatch.setattr(view, "LOOK_EVERY", 0.01)

    head, *silence = view._as_they_happen(relationship.id, present_place(relationship.id, now=timezone.now()))

    assert head.startswith(b"id: ") and {*silence} == {NOTHING}


def test_a_client_that_reconnects_within_a_moment_gets_the_rest_of_it(relationship: Relationship) -> None:
    now = timezone.now()
    ended_together(relationship, 3, now - timedelta(seconds=3))
    told, _ = happened_after(relationship.id, Place(0, now - timedelta(minutes=1)), now=now)

    rest = [happened_after(relationship.id, Place.parse(one.id), now=now)[0] for one in told]

    keys = {one.key for one in told}
    assert [{one.key for one in again} for again in rest] == [keys, keys, set()]


@pytest.mark.django_db(transaction=True)
def test_rows_of_a_slow_transaction_are_not_missed(relationship: Relationship) -> None:
    now = timezone.now()
    ended_together(relationship, 1, now)
    SessionState.objects.for_relationship(relationship.id).update(ended_at=None)
    slow = connection.copy()
    try:
        slow.set_autocommit(False)
        with slow.cursor() as cursor:
            cursor.execute("UPDATE relationships_sessionstate SET ended_at = %s", [now])
        begun = Place(0, now - timedelta(minutes=1))

        told, place = happened_after(relationship.id, begun, now=now + timedelta(seconds=30))
        slow.commit()
        later, _ = happened_after(relationship.id, place, now=now + timedelta(seconds=30))
    finally:
        slow.close()

    assert (told, [one.type for one in later]) == ([], ["session.ended"])


def test_unsettled_events_are_known_to_exist(api: Api, at: str, relationship: Relationship) -> None:
    place = present_place(relationship.id, now=timezone.now())
    assert not is_more_to_tell(relationship.id, place)

    api.post(f"{at}/entries", {"content": "Likes tea.", "type": "preference"})
    assert is_more_to_tell(relationship.id, place)

    place = present_place(relationship.id, now=timezone.now())
    assert not is_more_to_tell(relationship.id, place)
    ended_together(relationship, 1, timezone.now())
    assert is_more_to_tell(relationship.id, place)


def test_from_now_on_tells_nothing_of_before(api: Api, at: str, relationship: Relationship) -> None:
    api.post(f"{at}/entries", {"content": "Likes tea.", "type": "preference"})
    now = timezone.now()
    assert happened_after(relationship.id, present_place(relationship.id, now=now), now=now)[0] == []
    assert api.get(f"{at}/events?after=0-0").body["items"] != []


@pytest.mark.parametrize("place", ["x", "1-999999999999999999", "-1-1"])
def test_a_place_that_is_none_is_refused(api: Api, at: str, place: str) -> None:
    answer = api.get(f"{at}/events?after={place}")
    assert (answer.status, answer.fields) == (422, ["after"])


@pytest.mark.parametrize("ahead", ["2-0", "1-9999999999999999"], ids=["in order", "in time"])
def test_a_place_ahead_is_refused_as_the_events_before_it_would_never_be_told(
    api: Api, at: str, relationship: Relationship, ahead: str
) -> None:
    api.patch(
        f"/companions/{relationship.companion_id}/config", {"events": {"webhook": {"url": "https://e.org/"}}}
    )
    api.post(f"{at}/entries", {"content": "Likes tea.", "type": "preference"})
    for refused in (
        api.get(f"{at}/events?after={ahead}"),
        api.get(f"{at}/events", last_event_id=ahead),
        api.get(f"{at}/events", last_event_id=ahead, accept="text/event-stream"),
        api.post(f"{at}/events/replay", {"after": ahead}),
    ):
        assert refused.status == 422 and "begin with 0-0" in refused.body["detail"]
    newest = api.get(f"{at}/events?after=0-0").body["items"][-1]["id"]
    assert api.get(f"{at}/events?after={newest}").status == 200


@pytest.mark.skipif(DISTRIBUTED, reason="a coordinator does not count what its nodes read")
def test_a_page_reads_only_what_it_tells_however_long_the_history_is(relationship: Relationship) -> None:
    now = timezone.now()
    owner = {"relationship": relationship, "project_id": relationship.project_id}
    Turn.objects.create(**owner, seq=1, occurred_at=now, state=TurnState.SKIPPED, settled_at=now)
    ended_together(relationship, 1, now)
    earlier = "now() - n * interval '1 minute'"
    multiply(
        "relationships_turn", "relationship_id", relationship.id, {"seq": "1 + n", "settled_at": earlier}
    )
    multiply(
        "relationships_sessionstate",
        "relationship_id",
        relationship.id,
        {"session": "'session ' || n", "ended_at": earlier},
    )
    place = Place(0, now - timedelta(minutes=9.5))

    before = rows_read()
    told, _ = happened_after(relationship.id, place, now=now + timedelta(minutes=1))
    assert is_more_to_tell(relationship.id, place)
    read = rows_read() - before

    assert [one.type for one in told] == ["session.ended"] * 10
    assert sum(read.values()) < 100, read
    for _, rows, column, _ in _KINDS:  # entries of an index that are passed over are not counted as read
        plan = rows(relationship.id).filter(**{f"{column}__gt": place.at}).order_by(column)[:MOST].explain()
        assert re.search(rf"Index Cond: .*relationship_id = .*{column} > ", plan), plan


def test_events_that_a_webhook_does_not_want_are_passed_over_a_page_at_a_time(
    api: Api, at: str, relationship: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.fairness.MOST_SECONDS", 0.0)
    listen(relationship, "https://example.org/events", types=["turn.failed"])
    remember_more_than_a_page(api, at)
    first = present_place(relationship.id, now=timezone.now()).seq - (MOST + 5)

    passed = [(row.seq - first, row.due_at is None) for row in (deliver(relationship) for _ in range(3))]

    assert passed == [(MOST, False), (MOST + 5, False), (MOST + 5, True)]
