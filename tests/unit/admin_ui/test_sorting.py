import re

import pytest
from django.test import Client

from admin_ui import paging
from memory.models import ModelCall
from relationships.models import Turn
from tests.fixtures.markup import squeezed
from tests.fixtures.turns import Conversation

NAMED = re.compile(r"<th [^>]*?(?:aria-sort=\"(\w+)\")?><a href=\"\?([^\"]*)\">([^<]*)</a>")


def headings(page: str) -> dict[str, tuple[str, str]]:
    """What each heading that sorts leads to, and how the list is sorted by it now."""
    return {label: (query.replace("&amp;", "&"), now) for now, query, label in NAMED.findall(page)}


@pytest.mark.parametrize(
    ("address", "first", "then"),
    [
        ("audit", "Action", "Time"),
        ("companions", "Companion", "Relationships"),
        ("keys", "Name", "Last used"),
        ("operators", "Role", "Added"),
        ("relationships", "Person", "Memory"),
        ("turns", "Time", "Cost"),
    ],
)
def test_a_heading_sorts_and_turns_round(
    owner: Client, conversation: Conversation, address: str, first: str, then: str
) -> None:
    conversation.say("I live in Porto.")
    owner.post("/admin-ui/keys/", {"name": "First", "scope": "read"})
    page = f"/admin-ui/{address}/"

    def headings_of(query: str) -> dict[str, tuple[str, str]]:
        return headings(owner.get(f"{page}?{query}").content.decode())

    begun = headings_of("person=&page=1")
    once = headings_of(begun[first][0])
    twice = headings_of(once[first][0])
    other = headings_of(twice[then][0])

    assert begun[first][0].startswith("person=&order=")
    assert {once[first][1], twice[first][1]} == {"ascending", "descending"}
    assert (other[first][1], bool(other[then][1])) == ("", True)


def test_a_column_without_an_index_is_sorted_among_the_newest(
    owner: Client, conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [conversation.say(f"Letter {number}") for number in range(3)]
    for turn, cost in zip(turns, ("9", "1", "2"), strict=True):
        call = ModelCall.objects.create(
            relationship_id=turn.relationship_id,
            project_id=turn.project_id,
            purpose="ingestion",
            turn_ids=[turn.id],
            provider="p",
            prompt="",
            milliseconds=1,
            cost=cost,
        )
        Turn.objects.for_relationship(turn.relationship_id).filter(id=turn.id).update(
            model_call_ids=[call.id]
        )

    def shown() -> list[str]:
        return re.findall(r">Letter (\d)</a>", squeezed(owner.get("/admin-ui/turns/?order=-cost")))

    assert shown() == ["0", "2", "1"]
    monkeypatch.setattr(paging, "MOST_SORTED", 2)
    assert shown() == ["2", "1"]
