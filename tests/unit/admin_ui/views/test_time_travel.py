import re
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from admin_ui.views.time_travel import compare_entries
from memory.entries.adding import add_entry
from memory.entries.editing import delete_entry
from memory.entries.time_travel import PastChange, PastLine
from memory.models import EntrySource
from relationships.models import Relationship
from tests.fixtures.markup import squeezed
from tests.fixtures.turns import PERSON, Conversation

HTMX = {"HX-Request": "true", "HX-Target": "then"}


@pytest.fixture
def page(relationship: Relationship) -> str:
    return f"/admin-ui/relationships/{relationship.id}/time/"


def test_a_moment_shows_what_was_true_then_and_what_changed_since_and_what_was_known_is_another_question(
    viewer: Client, page: str, relationship: Relationship, conversation: Conversation
) -> None:
    long_ago = timezone.now() - timedelta(days=100)
    values = {"content": "Lived in Porto", "type": "other", "effective_at": long_ago}
    add_entry(relationship=relationship, values=values, by=PERSON, source=EntrySource.MANUAL)
    conversation.remember("Has a dog")

    shown = viewer.get(f"{page}?step=500", headers=HTMX).content.decode()

    then, since = shown.split("Changes since")
    assert "Lived in Porto" in then
    assert "Has a dog" not in then
    assert "<ins>Has a dog</ins>" in since

    before = (timezone.now() - timedelta(days=1)).isoformat().replace("+", "%2B")
    empty = "No entries at this time."
    assert empty in viewer.get(f"{page}?by=known&at={before}").content.decode()
    assert empty not in viewer.get(f"{page}?by=true&at={before}").content.decode()


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?step=x",
        "?step=99999999",
        "?at=never",
        "?at=9999-12-31",
        "?at=0001-01-01T00:00%2B23:59",
        "?by=other",
        "?until=x",
        "?to=never",
    ],
)
def test_any_address_gives_a_page(viewer: Client, page: str, conversation: Conversation, query: str) -> None:
    conversation.remember("Has a dog")

    assert viewer.get(page + query).status_code == 200


def entry(number: int, content: str) -> PastLine:
    return PastLine(UUID(int=number), "other", content, timezone.now())


def test_what_was_added_updated_and_is_gone_is_told_apart_newest_first() -> None:
    then = [entry(1, "Lives in Porto"), entry(2, "Has a dog"), entry(3, "Likes tea")]
    later = [entry(4, "Has a cat"), entry(1, "Lives in Lisbon"), entry(3, "Likes tea")]
    went = PastChange(UUID(int=2), "expire", timezone.now(), "expired", "other", "Has a dog", "")

    changes = compare_entries(then, later, {went.id: went})

    assert [(change.kind, change.entry_id.int, change.event) for change in changes] == [
        ("removed", 2, "expire"),
        ("updated", 1, ""),
        ("added", 4, ""),
    ]
    assert changes[0].at == went.at
    assert [piece.text for piece in changes[1].text] == ["Lives in ", "Porto", "Lisbon"]


def test_what_is_gone_says_by_what_and_since_when(
    viewer: Client, page: str, relationship: Relationship
) -> None:
    said = datetime(2026, 3, 2, 15, tzinfo=UTC)
    values = {"content": "Has a dog", "type": "other", "effective_at": said}
    dog = add_entry(relationship=relationship, values=values, by=PERSON, source=EntrySource.MANUAL)
    delete_entry(relationship_id=relationship.id, entry_id=dog.id, by=PERSON)

    changes = squeezed(viewer.get(f"{page}?at=2026-03-02")).split("Changes since")[1]

    assert "<del>Has a dog</del>" in changes
    assert f'<span class="badge bad">deleted</span><time datetime="{timezone.now():%Y-%m-%d}' in changes


def test_a_date_that_was_named_stands_in_its_field_again(viewer: Client, page: str) -> None:
    shown = squeezed(viewer.get(f"{page}?at=2026-03-02&to=never"))

    assert re.findall(r'name="(\w+)" type="date" value="([^"]*)"', shown) == [
        ("at", "2026-03-02"),
        ("to", ""),
    ]


def test_a_date_is_its_whole_day_and_the_sliders_say_their_moments(
    viewer: Client, page: str, relationship: Relationship
) -> None:
    for day, city in ((2, "Porto"), (5, "Lisbon")):
        said = datetime(2026, 3, day, 15, tzinfo=UTC)
        values = {"content": f"Was in {city}", "type": "other", "effective_at": said}
        add_entry(relationship=relationship, values=values, by=PERSON, source=EntrySource.MANUAL)

    shown = viewer.get(f"{page}?at=2026-03-02&to=2026-03-05").content.decode()

    then, changes = shown.split("Changes until")
    assert "Was in Porto" in then
    assert "Was in Lisbon" not in then.partition('id="then"')[2]
    assert "<ins>Was in Lisbon</ins>" in changes
    spoken = re.findall(r'aria-valuetext="([^"]+)"', shown)
    assert spoken == ["2 March 2026, 23:59", "5 March 2026, 23:59"]
    ticks = re.search(r'<path d="([^"]+)"', shown)
    assert ticks
    assert ticks[1].startswith("M0 0V10M")
    assert ticks[1].count("M") == 2
