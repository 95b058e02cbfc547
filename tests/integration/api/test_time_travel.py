"""`as_of` and `known_at` of the list of entries, over REST."""

from datetime import timedelta

import pytest
from django.db.models.signals import post_init
from django.utils import timezone

from memory.models import EntryRevision
from relationships.models import Relationship
from tests.fixtures.api import Api


@pytest.fixture
def path(relationship: Relationship) -> str:
    return f"/relationships/{relationship.id}/entries"


def test_the_list_can_be_read_as_it_was(api: Api, path: str) -> None:
    made = api.post(path, {"content": "Likes tea", "type": "preference", "tags": {"mood": "calm"}}).body
    then = timezone.now().isoformat().replace("+00:00", "Z")
    api.patch(f"{path}/{made['id']}", {"content": "Likes rain"})

    [before] = api.get(f"{path}?known_at={then}&tag=mood=calm&text=TEA&type=preference").body["items"]
    assert before == made
    assert api.get(f"{path}?known_at={then}&text=rain").body["items"] == []
    assert api.get(f"{path}?as_of=2999-01-01T00:00:00Z").body == api.get(path).body


def test_the_pages_of_the_past_follow_one_another(api: Api, path: str) -> None:
    for number in range(5):
        times = {"effective_at": (timezone.now() - timedelta(days=number)).isoformat()}
        api.post(path, {"content": f"Fact {number}", "type": "other", **times})
    then = "2999-01-01T00:00:00Z"

    first = api.get(f"{path}?as_of={then}&limit=3").body
    second = api.get(f"{path}?as_of={then}&limit=3&cursor={first['next_cursor']}").body

    shown = [entry["content"] for entry in (*first["items"], *second["items"])]
    assert shown == [f"Fact {number}" for number in range(5)]
    assert second["next_cursor"] is None


def test_a_page_of_the_past_reads_no_more_than_it_shows(
    api: Api, path: str, relationship: Relationship
) -> None:
    for number in range(5):
        api.post(path, {"content": f"Fact {number}", "type": "other"})
    read: list[EntryRevision] = []

    def keep(sender: object, instance: EntryRevision, **_: object) -> None:
        read.append(instance)

    post_init.connect(keep, sender=EntryRevision)
    try:
        page = api.get(f"{path}?as_of=2999-01-01T00:00:00Z&limit=1").body
    finally:
        post_init.disconnect(keep, sender=EntryRevision)

    assert [entry["content"] for entry in page["items"]] == ["Fact 4"]
    assert len(read) == 2  # the one shown, and one that tells whether there are more


@pytest.mark.parametrize("given", ["yesterday", "2026-03-01", "9999-99-99T00:00:00Z"])
def test_a_time_that_is_none_is_named(api: Api, path: str, given: str) -> None:
    answer = api.get(f"{path}?as_of={given}")

    assert (answer.status, answer.fields) == (422, ["as_of"])


def test_a_plus_that_was_lost_on_the_way_is_told(api: Api, path: str) -> None:
    lost = api.get(f"{path}?as_of=2026-03-02T10:00:00+01:00")

    assert lost.body["detail"].endswith(
        "such as 2026-03-02T09:00:00Z; the + of a zone is written %2B in an address"
    )
    assert api.get(f"{path}?as_of=2026-03-02T10:00:00%2B01:00").status == 200
