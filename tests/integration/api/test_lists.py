"""Every list is read page by page: in its order, each row once, and for as many statements however long it is."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest
from pytest_django import DjangoAssertNumQueries

from relationships.models import Companion, EndUser, Relationship
from relationships.services.profiles import replace_profile
from relationships.services.sessions import touch_session
from tests.fixtures.api import TESTER, Api
from tests.fixtures.turns import Conversation

NUMBERS = range(7)


class List(NamedTuple):
    """`make` fills it, and says what its rows are called, in its order. Most begin with what the fixtures made."""

    path: str
    make: Callable[[Api, Conversation], list[Any]]
    name: Callable[[dict[str, Any]], Any]
    statements: int


def companions(api: Api, conversation: Conversation) -> list[str]:
    own = {"project_id": conversation.relationship.project_id, "name": "C"}
    Companion.objects.bulk_create(Companion(**own, slug=f"c{number}") for number in NUMBERS)
    return ["ada", *(f"c{number}" for number in NUMBERS)]


def users(api: Api, conversation: Conversation) -> list[str]:
    project_id = conversation.relationship.project_id
    EndUser.objects.bulk_create(EndUser(project_id=project_id, external_id=f"u{n}") for n in NUMBERS)
    return ["maya", *(f"u{number}" for number in NUMBERS)]


def relationships(api: Api, conversation: Conversation) -> list[str]:
    for number in NUMBERS:
        api.post("/relationships", {"companion": "ada", "user": f"u{number}"})
    return [*(f"u{number}" for number in reversed(NUMBERS)), "maya"]


def sessions(api: Api, conversation: Conversation) -> list[str]:
    for number in NUMBERS:
        relationship, at = conversation.relationship, datetime.now(UTC)
        touch_session(relationship=relationship, session=f"s{number}", at=at, idle_minutes=0)
    return [f"s{number}" for number in NUMBERS]


def profiles(api: Api, conversation: Conversation) -> list[tuple[int, int, str]]:
    for number in NUMBERS:
        replace_profile(relationship=conversation.relationship, data={"number": number}, by=TESTER)
    return [(number + 1, number, str(TESTER.kind)) for number in reversed(NUMBERS)]


def turns(api: Api, conversation: Conversation) -> list[str]:
    return [str(conversation.say(f"Turn {number}").id) for number in NUMBERS][::-1]


def messages(api: Api, conversation: Conversation) -> list[str]:
    turns(api, conversation)
    return [f"Turn {number}" for number in reversed(NUMBERS)]


def changes(api: Api, conversation: Conversation) -> list[str]:
    path = f"/relationships/{conversation.relationship.id}/entries"
    made = [api.post(path, {"content": f"Fact {number}", "type": "other"}) for number in NUMBERS]
    return [answer.body["id"] for answer in reversed(made)]


RELATIONSHIP = "/relationships/{id}"
LISTS = {
    "companions": List("/companions", companions, lambda row: row["slug"], 2),
    "users": List("/users", users, lambda row: row["external_id"], 2),
    "relationships": List("/relationships", relationships, lambda row: row["user"]["external_id"], 2),
    "sessions": List(f"{RELATIONSHIP}/sessions", sessions, lambda row: row["session"], 3),
    "profile": List(
        f"{RELATIONSHIP}/profile/history",
        profiles,
        lambda row: (row["version"], row["data"]["number"], row["actor"]["kind"]),
        3,
    ),
    "turns": List(f"{RELATIONSHIP}/turns", turns, lambda row: row["id"], 3),
    "messages": List(f"{RELATIONSHIP}/messages", messages, lambda row: row["content"], 3),
    "history": List(f"{RELATIONSHIP}/history", changes, lambda row: row["entry_id"], 6),
}


@pytest.mark.parametrize("listed", LISTS.values(), ids=LISTS)
def test_its_pages_hold_every_row_once_in_order_for_as_many_statements_each(
    api: Api,
    conversation: Conversation,
    relationship: Relationship,
    listed: List,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    expected = listed.make(api, conversation)
    api.get("/project")  # the key's use is noted once a minute, so not below
    seen: list[Any] = []
    page: dict[str, Any] = {"next_cursor": ""}

    while page["next_cursor"] is not None:
        cursor = f"&cursor={page['next_cursor']}" if seen else ""
        with django_assert_num_queries(listed.statements):
            page = api.get(f"{listed.path.format(id=relationship.id)}?limit=3{cursor}").body
        seen += [listed.name(row) for row in page["items"]]

    assert seen == expected
