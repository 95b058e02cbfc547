"""mem0's pages of a person's memories: each is read from the database alone, however many there are."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.entries.adding import add_entries
from memory.models import EntrySource
from relationships.models import Relationship
from tests.fixtures.mem0 import Mem0
from web.actor import Actor


def remember(mem0: Mem0, first: int, last: int) -> None:
    mem0.keep("maya", f"Fact number {first}")
    given = [
        ({"content": f"Fact number {number}", "type": "other"}, "") for number in range(first + 1, last + 1)
    ]
    relationship = Relationship.objects.get()
    add_entries(relationship=relationship, given=given, by=Actor.policy("test"), source=EntrySource.MANUAL)


def page_of(mem0: Mem0, page: int, size: int) -> dict[str, Any]:
    asked = {"filters": {"user_id": "maya"}}
    status, told = mem0.send("POST", f"v3/memories/?page={page}&page_size={size}", asked)
    assert status == 200, told
    return dict(told)


def statements(mem0: Mem0, page: int) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert page_of(mem0, page, 50)["results"]
    return len(asked)


def test_a_page_of_many_memories_takes_as_many_statements_as_one_of_a_few(mem0: Mem0) -> None:
    remember(mem0, 1, 120)
    page_of(mem0, 1, 50)  # what a process reads once
    few = statements(mem0, 2)
    remember(mem0, 121, 620)

    assert [statements(mem0, page) for page in (2, 12)] == [few, few]


@pytest.mark.parametrize("size", [50, 130, 250])
def test_all_pages_together_are_every_memory_once(mem0: Mem0, size: int) -> None:
    remember(mem0, 1, 250)
    whole = page_of(mem0, 1, 1000)

    pages = [page_of(mem0, 1 + place // size, size) for place in range(0, 250, size)]

    assert [one for page in pages for one in page["results"]] == whole["results"]
    assert len({one["memory"] for one in whole["results"]}) == 250 == whole["count"]
    assert {page["count"] for page in pages} == {250}
    assert [page["next"] is None for page in pages] == [False] * (len(pages) - 1) + [True]
    assert pages[0]["previous"] is None


@pytest.mark.parametrize("page", [6, 7, 1_000_000])
def test_a_page_after_the_last_is_empty(mem0: Mem0, page: int) -> None:
    remember(mem0, 1, 250)

    told = page_of(mem0, page, 50)

    assert (told["count"], told["next"], told["results"]) == (250, None, [])
