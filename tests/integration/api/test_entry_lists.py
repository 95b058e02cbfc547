"""Lists of entries: what is found, in which order, and at what cost when there are ten thousand."""

from datetime import timedelta
from typing import Any, cast
from urllib.parse import quote

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memory.mending import matching
from memory.mending.matching import WithWords
from memory.models import ScratchpadEntry
from relationships.models import Relationship
from tests.fixtures.api import Api
from tests.fixtures.contexts import remember
from tests.fixtures.turns import Conversation
from web.fields import PageQuery
from web.pagination import page_of


@pytest.fixture
def path(relationship: Relationship) -> str:
    return f"/relationships/{relationship.id}/entries"


def made(api: Api, path: str, content: str, **values: Any) -> str:
    entry_id: str = api.post(path, {"content": content, "type": "other", **values}).body["id"]
    return entry_id


def listed(api: Api, path: str, query: str = "") -> list[str]:
    page = api.get(f"{path}?{query}")
    assert page.status == 200, page
    return [entry["content"] for entry in page.body["items"]]


def test_the_list_holds_what_is_active_newest_first(api: Api, path: str) -> None:
    made(api, path, "Old", effective_at="2020-01-01T00:00:00Z")
    gone = made(api, path, "Gone")
    made(api, path, "New")
    made(api, path, "Older", effective_at="2019-01-01T00:00:00Z")
    api.delete(f"{path}/{gone}")

    assert listed(api, path) == ["New", "Old", "Older"]
    assert listed(api, path, "state=deleted") == ["Gone"]
    assert listed(api, path, "state=any") == ["New", "Gone", "Old", "Older"]


def test_an_entry_about_somebody_else_is_found_by_whom_it_is_about(api: Api, path: str) -> None:
    made(api, path, "Tom likes jazz")
    made(api, path, "Plays the drums (about Tom)")
    made(api, path, "Likes jazz")
    made(api, path, "Tom's neighbour is loud", subject="Ann")  # what the caller says counts

    assert listed(api, path, "subject=Tom") == ["Plays the drums (about Tom)", "Tom likes jazz"]
    assert listed(api, path, "subject=user") == ["Likes jazz"]
    assert listed(api, path, "subject=Ann") == ["Tom's neighbour is loud"]
    found = api.post(f"{path}/search", {"query": "jazz", "subject": "Tom"}).body["items"]
    assert [entry["content"] for entry in found] == ["Tom likes jazz"]


def test_filters_find_and_all_must_hold(api: Api, path: str) -> None:
    made(api, path, "Likes green tea", type="preference", tags={"area": "food", "from": "Ana"})
    made(api, path, "Likes TEA houses", type="preference", tags={"area": "places"}, tier="archive")
    made(api, path, "Drinks tea", subject="Léa \U0001f98a", tags={"area": "food"})

    assert listed(api, path, "type=preference") == ["Likes TEA houses", "Likes green tea"]
    assert listed(api, path, "tier=archive") == ["Likes TEA houses"]
    assert listed(api, path, "text=tea&tier=scratchpad") == ["Drinks tea", "Likes green tea"]
    assert listed(api, path, "subject=L%C3%A9a%20%F0%9F%A6%8A") == ["Drinks tea"]
    assert listed(api, path, "subject=user&tag=area%3Dfood") == ["Likes green tea"]
    assert listed(api, path, "tag=area%3Dfood&tag=from%3DAna") == ["Likes green tea"]
    assert listed(api, path, "tag=area%3Dplaces&tag=from%3DAna") == []
    assert listed(api, path, "type=event") == []


@pytest.mark.parametrize(
    "text", ["100%", "a_b", "back\\slash", "o'clock", '"quoted"', "مرحبا", "\U0001f98a", "ß"]
)
def test_a_text_is_looked_for_as_it_stands(api: Api, path: str, text: str) -> None:
    made(api, path, f"Says {text} often")
    made(api, path, "Says 100 a-b often")

    answer = api.client.get(
        f"/v1{path}", {"text_contains": text}, headers={"Authorization": f"Bearer {api.key}"}
    )

    assert [entry["content"] for entry in answer.json()["items"]] == [f"Says {text} often"]


@pytest.mark.parametrize(
    ("text", "content", "other"),
    [
        ("die", "Is dying to travel", "Is dieting"),
        ("stories", "Loves a good story", "Stores wine"),
        ("annemarie", "Met Anne Marie", "Met Anna"),
        ("mueller", "Knows Frau Müller", "Knows a miller"),
        ("not", "Doesn't drink", "Takes notes"),
        ("renee muller", "Friend of Renée Müller", "Friend of René Mül"),
        ("02079460018", "Phone is +44 20 7946 0018", "Phone is 020 7946 00181"),
        ("ord 17", "Waits for ORD-17", "Waits for ORD-170"),
        ("eva@firm.org", "Writes to Eva@Firm.org", "Writes to eva@firm.org.br"),
        ("sister cat", "Feeds the sister's cats", "Has a sister"),
        ("anne marie", "Knows Anne-Marie", "Knows Anne and Maria"),
        ("🦊", "Likes the 🦊 sign", "Likes foxes"),
    ],
)
@pytest.mark.parametrize("past", ["", "2100-01-01T00:00:00Z"])
def test_words_are_found_whole_in_any_spelling(
    api: Api, path: str, text: str, content: str, other: str, past: str
) -> None:
    made(api, path, content)
    made(api, path, other)
    asked = {"text": text} | ({"known_at": past} if past else {})
    answer = api.client.get(f"/v1{path}", asked, headers={"Authorization": f"Bearer {api.key}"})
    assert [entry["content"] for entry in answer.json()["items"]] == [content]


@pytest.mark.parametrize("past", ["", "&known_at=2100-01-01T00:00:00Z"])
@pytest.mark.parametrize(
    ("saying", "content", "asked"),
    [
        ("Colleague is Юлия (Yulia)", "Yulia has moved to Perm", "юлия perm"),
        ("Teacher is 李小龙 (Bruce)", "Bruce has moved to Perm", "李小龙 perm"),
        ("Robert, also known as Bob", "Bob has moved to Perm", "robert perm"),
    ],
)
def test_who_has_two_names_is_found_by_either(
    api: Api, path: str, saying: str, content: str, asked: str, past: str
) -> None:
    for text in (saying, content, "Tom has moved to Perm"):
        made(api, path, text)
    found = api.get(f"{path}?text={quote(asked)}{past}").body["items"]
    assert [entry["content"] for entry in found] == [content]


@pytest.mark.parametrize(
    "query",
    [
        "type=Preference",
        "type=",
        "tier=attic",
        "state=lost",
        "subject=",
        "subject=a%0Ab",
        "text=",
        "text=a%0Ab",
        "text_contains=",
        "text=" + "x" * 201,
        "limit=201",
        "cursor=W10",
        "colour=red",
    ],
)
def test_a_wrong_filter_is_named(api: Api, path: str, query: str) -> None:
    answer = api.get(f"{path}?{query}")

    assert (answer.status, answer.fields) == (422, [query.split("=")[0]])


def test_a_wrong_state_is_told_every_one_there_is(api: Api, path: str) -> None:
    said = api.get(f"{path}?state=lost").body["detail"]

    assert said == "state: input should be 'active', 'superseded', 'expired' or 'deleted', or 'any'"


@pytest.mark.parametrize("tag", ["food", "=food", "a%0Ab=x", "x" * 61 + "=y", "a=" + "x" * 201])
def test_a_tag_that_is_no_pair_is_named(api: Api, path: str, tag: str) -> None:
    answer = api.get(f"{path}?tag=area%3Dfood&tag={tag}")

    assert (answer.status, answer.fields) == (422, ["tag.1"])


def test_a_thousand_entries_cost_no_more_statements_than_ten(
    api: Api, path: str, relationship: Relationship, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    remember(
        relationship, *(f"Fact {number} of many" for number in range(1_000)), effective_at=timezone.now()
    )
    api.get("/project")

    with django_assert_num_queries(6):  # three of them bound the time it may take
        page = api.get(f"{path}?limit=200&text_contains=of%20many").body
    with django_assert_num_queries(6):
        next_page = api.get(f"{path}?limit=200&text_contains=of%20many&cursor={page['next_cursor']}").body

    assert [len(page["items"]), len(next_page["items"])] == [200, 200]
    assert not {entry["id"] for entry in page["items"]} & {entry["id"] for entry in next_page["items"]}


def test_a_page_by_words_reads_no_more_of_many_long_entries_than_of_some(
    api: Api, path: str, relationship: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "MOST_READ", 400_000)

    def first_page(entries: int) -> tuple[int, str]:
        long = "word " * 800
        remember(
            relationship,
            *(f"{entries} {number} {long}" for number in range(entries)),
            effective_at=timezone.now(),
        )
        keep = WithWords(relationship.id, "walrus")
        rows = ScratchpadEntry.objects.for_relationship(relationship.id)
        page = page_of(rows, order=["-effective_at", "-id"], page=PageQuery(), present=str, keep=keep)
        assert page["items"] == []
        return keep.read, page["next_cursor"]

    remember(relationship, "Is a walrus", effective_at=timezone.now() - timedelta(days=1))
    some, _ = first_page(120)
    many, _ = first_page(360)

    assert many <= 1.5 * some
    found: list[str] = []
    pages, cursor = 0, cast("str | None", "")
    while cursor is not None:
        page = api.get(f"{path}?text=walrus{cursor and '&cursor=' + cursor}").body
        found += [entry["content"] for entry in page["items"]]
        pages, cursor = pages + 1, page["next_cursor"]
    assert found == ["Is a walrus"] and pages > 3


def test_a_page_by_words_looks_through_many_short_entries_by_few_statements(
    relationship: Relationship, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    told = timezone.now()
    texts = (f"Has walnut tree {number}" for number in range(1000))
    remember(relationship, "Is a walrus", *texts, effective_at=told)
    rows = ScratchpadEntry.objects.for_relationship(relationship.id)

    # Two pieces, the stems, the language, and who has two names.
    with django_assert_max_num_queries(5):
        keep = WithWords(relationship.id, "walrus")
        page = page_of(rows, order=["-effective_at", "-id"], page=PageQuery(), present=str, keep=keep)

    assert (len(page["items"]), page["next_cursor"]) == (1, None)


def test_a_page_by_a_common_word_looks_at_little_more_than_it_shows(relationship: Relationship) -> None:
    remember(
        relationship, *(f"Has walnut tree {number:04}" for number in range(1000)), effective_at=timezone.now()
    )
    keep = WithWords(relationship.id, "walnut")
    rows = ScratchpadEntry.objects.for_relationship(relationship.id)
    page = page_of(rows, order=["-effective_at", "-id"], page=PageQuery(limit=200), present=str, keep=keep)

    assert len(page["items"]) == 200 and page["next_cursor"]
    assert keep.read < 500 * len("Has walnut tree 0000")


@pytest.mark.parametrize("beside", ["", "&known_at=2100-01-01T00:00:00Z"])
def test_a_text_that_takes_too_long_is_named_with_the_way_out(
    api: Api, path: str, conversation: Conversation, monkeypatch: pytest.MonkeyPatch, beside: str
) -> None:
    """Held against a row at each of its letters, as it begins alike: some milliseconds for each row."""
    monkeypatch.setattr("web.pagination.SLOW_SECONDS", 0.003)
    conversation.remember(*(f"{'a' * 3_900} {number}" for number in range(60)))

    refused = api.get(f"{path}?text_contains={'a' * 199}b{beside}")

    assert (refused.status, refused.body["type"]) == (422, "urn:rapport:problem:invalid")
    assert refused.body["errors"][0]["field"] == "text_contains"
    assert "Make it simpler or leave it out" in refused.body["errors"][0]["detail"]
    assert listed(api, path, "limit=1") == [f"{'a' * 3_900} 59"]
