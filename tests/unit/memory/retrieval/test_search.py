"""Searching on a real database: whose rows are compared with what, and how many statements that takes."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from pytest_django import DjangoAssertNumQueries

from memory.models import EntryState, SearchText, Tier
from memory.retrieval.configuration import Retrieval
from memory.retrieval.questions import TOO_MANY_WORDS, Participants
from memory.retrieval.ranking import wanted_ranker
from memory.retrieval.results import EntryFilters, Hit, MessageFilters, reason_of
from relationships.models import Relationship
from tests.unit.memory.retrieval.searched import NOON, Memory, contents, sibling
from web.errors import InvalidInput


def test_whom_an_entry_is_about_counts_when_the_question_names_them(memory: Memory) -> None:
    memory.remember("Likes tea", subject="Sofia")
    memory.remember("Likes tea in the morning", "Likes tea too")
    found = memory.entries("What tea does Sofia like? likes tea")
    assert contents(found)[0] == "Likes tea"
    assert found.hits[0].parts["named"] == pytest.approx(0.4)
    assert memory.entries("Does Maya like tea?").hits[0].parts["named"] == pytest.approx(0.4)


@pytest.mark.parametrize("asked", ["What is on in October?", "Anything on the 14th of October 2027?", "2027"])
def test_an_entry_is_found_by_when_it_happens_whenever_it_was_told(memory: Memory, asked: str) -> None:
    memory.remember("Concert with Ana", happens_at="2027-10-14")
    memory.remember("Concert with Rui", happens_at="2029-11")

    assert contents(memory.entries(asked)) == ["Concert with Ana"]


def test_endings_are_stripped_in_the_language_of_the_rows_even_where_it_has_just_changed(
    memory: Memory, relationship: Relationship
) -> None:
    memory.remember("She danced")
    english = Memory(relationship, language="english")
    english.remember("He dances")

    assert contents(english.entries("dancing")) == ["He dances"]
    assert set(contents(english.entries("danced"))) == {"She danced", "He dances"}
    assert set(contents(memory.entries("danced"))) == {"She danced", "He dances"}


def test_a_search_in_another_language_than_the_index_says_how_it_was_asked(
    relationship: Relationship,
) -> None:
    memory = Memory(relationship, language="english")
    memory.say("She danced in Porto")

    found = memory.messages("dancing", retrieval=memory.retrieval.model_copy(update={"language": "german"}))

    assert contents(found) == ["She danced in Porto"]
    assert found.notes == ("The texts are indexed as english; so they were asked, not as german.",)
    assert memory.messages("dancing").notes == ()


def test_a_language_that_this_server_lacks_is_read_as_simple(relationship: Relationship) -> None:
    memory = Memory(relationship, language="english")
    entry = memory.remember("Drinks tea")[0]
    SearchText.objects.filter(owner_id=entry.id).update(language="simple")
    assert contents(memory.entries("tea")) == ["Drinks tea"]


@pytest.mark.parametrize("kind", ["entries", "messages"])
def test_another_relationships_rows_neither_come_nor_count(
    memory: Memory, relationship: Relationship, kind: str
) -> None:
    write = "remember" if kind == "entries" else "say"
    getattr(memory, write)("tea", "cello", "tea again")
    search = getattr(memory, kind)
    before = [(hit.id, hit.score) for hit in search("tea cello").hits]
    theirs = Memory(sibling(relationship))
    getattr(theirs, write)(*(f"cello number {number}" for number in range(20)))

    assert [(hit.id, hit.score) for hit in search("tea cello").hits] == before
    assert search("tea cello").considered == 3


def test_filters_leave_every_score_as_it_is(memory: Memory) -> None:
    memory.remember("tea and cello", type="preference", tags={"area": "food"})
    memory.remember("tea", "tea for two", "tea at five o'clock", type="event", tier=Tier.ARCHIVE)
    memory.remember("cello", type="event", effective_at=NOON - timedelta(days=90))
    scores = {hit.id: hit.score for hit in memory.entries("tea cello").hits}

    for filters in (
        EntryFilters(types=("event",)),
        EntryFilters(tags={"area": "food"}),
        EntryFilters(tiers=("archive",)),
        EntryFilters(told_to=NOON - timedelta(days=1)),
        EntryFilters(told_from=NOON - timedelta(days=1)),
        EntryFilters(subject="user"),
    ):
        found = memory.entries("tea cello", filters=filters)
        assert found.hits, filters
        assert {hit.id: hit.score for hit in found.hits}.items() <= scores.items(), filters


def test_superseded_entries_come_when_asked_for_and_change_no_score(memory: Memory) -> None:
    memory.remember("tea", "coffee")
    before = {hit.id: hit.score for hit in memory.entries("tea coffee").hits}
    memory.remember("tea leaves", "old tea", state=EntryState.SUPERSEDED)

    assert contents(memory.entries("tea")) == ["tea"]
    both = memory.entries("tea coffee", filters=EntryFilters(states=("active", "superseded")))
    assert set(contents(both)) == {"tea", "coffee", "tea leaves", "old tea"}
    assert before.items() <= {hit.id: hit.score for hit in both.hits}.items()


def test_who_asks_for_what_was_deleted_gets_nothing_else(memory: Memory) -> None:
    memory.remember("tea")
    memory.remember("tea and cello", state=EntryState.DELETED)
    assert contents(memory.entries("tea")) == ["tea"]
    found = memory.entries("tea", filters=EntryFilters(states=("deleted",)))
    assert (contents(found), found.considered) == (["tea and cello"], 1)


def test_messages_can_be_left_out(memory: Memory) -> None:
    first, second = memory.say("tea", "tea please")
    found = memory.messages("tea", filters=MessageFilters(without=(second.seq,)))
    assert [hit.id for hit in found.hits] == [first.id]


def test_what_was_answered_is_found_by_what_was_asked(memory: Memory) -> None:
    memory.say("Where did you buy the kayak?", "Lisbon", "Nice", "Bye", "See you")
    memory.say("Lovely weather", session="web")
    assert contents(memory.messages("buy kayak", top_k=2)) == ["Where did you buy the kayak?", "Lisbon"]
    assert "Lovely weather" not in contents(memory.messages("buy kayak"))


def test_of_equals_the_newest_is_first_and_then_the_lower_id(memory: Memory) -> None:
    old = memory.remember("green tea", effective_at=NOON - timedelta(days=9))[0]
    twins = sorted(memory.remember("black tea", "white tea"), key=lambda entry: entry.id)
    found = memory.entries("tea")
    assert [hit.id for hit in found.hits] == [twins[0].id, twins[1].id, old.id]


def test_a_minimum_score_leaves_the_rest_out(memory: Memory) -> None:
    memory.remember("tea", "tea and many other words beside it")
    assert contents(memory.entries("tea", min_score=0.9)) == ["tea"]
    assert memory.entries("tea", min_score=2).hits == []


def test_a_search_takes_two_statements_and_one_where_the_participants_are_known(
    memory: Memory, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    memory.remember("Drinks tea")
    memory.say("I drink tea")

    with django_assert_num_queries(2):
        memory.entries("tea")
    with django_assert_num_queries(1):
        memory.entries("tea", participants=Participants("Maya", "Ada"))
    with django_assert_num_queries(2):
        memory.messages("tea")


def test_an_empty_memory_finds_nothing(offline_memory: Memory) -> None:
    for ranker in ("best", "cosine", "importance", "decay", "hybrid"):
        found = offline_memory.entries("tea", ranker=ranker)
        assert (found.hits, found.considered) == ([], 0)


def test_a_question_that_is_too_long_is_read_from_its_beginning(memory: Memory) -> None:
    memory.remember("Drinks tea")
    found = memory.entries("tea " + "word " * 20_000)
    assert contents(found) == ["Drinks tea"]
    assert "8000 characters" in found.notes[0]


@pytest.mark.parametrize(
    ("times", "found"),
    [
        ({"valid_to": NOON}, False),
        ({"valid_to": NOON + timedelta(days=1)}, True),
        ({"expires_at": NOON}, False),
        ({"valid_from": NOON}, True),
        ({"valid_from": NOON + timedelta(seconds=1)}, False),
        ({"state": EntryState.SUPERSEDED, "valid_to": NOON}, True),
    ],
)
def test_what_holds_now_is_found_and_what_held_once_by_who_asks(
    memory: Memory, times: dict[str, Any], found: bool
) -> None:
    memory.remember("tea", **times)
    asked = EntryFilters(states=("active", "superseded"))
    assert bool(memory.entries("tea", filters=asked).hits) is found


def test_of_very_many_words_the_longest_are_looked_up_where_rows_are_many(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.retrieval.columns.MOST_LOOKED_UP", 3)
    memory.remember("Has a kayak by the harbour", "Likes tea")
    short = " ".join(f"aa{number}" for number in range(10, 50))

    assert contents(memory.entries(f"tea harbour {short}")) == ["Has a kayak by the harbour"]
    assert TOO_MANY_WORDS in memory.entries(f"tea harbour {short}").notes
    assert memory.entries("tea harbour").notes == ()


ID = UUID(int=1)


def test_a_reason_names_the_parts_the_largest_first_and_leaves_out_what_is_nothing() -> None:
    hit = Hit(ID, 0.83, {"text": 0.25, "named": 0.4, "length": -0.05, "date": 0.0})
    assert reason_of(hit, "best") == "best 0.83: named 0.4, text 0.25, length -0.05"


def test_reciprocal_ranks_are_small_and_still_told() -> None:
    assert reason_of(Hit(ID, 0.0325, {"text": 1 / 61, "vector": 1 / 62}), "hybrid") == (
        "hybrid 0.0325: text 0.0164, vector 0.0161"
    )


@pytest.mark.parametrize("path", ["os.system", "memory.retrieval.rankers.best.BestRanker", "magic", ""])
def test_what_is_neither_known_nor_a_plugin_is_refused(path: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        wanted_ranker(path, Retrieval(), given=None)
    assert refused.value.problems[0].field == "ranker"


def test_a_pasted_log_is_not_before_the_message_that_says_it(memory: Memory) -> None:
    log = "step reused from the cache\n" * 500
    for number, text in enumerate(
        [f"It is red. {log}", "The second one gets 401 token_reused", *["I see."] * 8]
    ):
        memory.say(text, session=f"{number}")

    assert contents(memory.messages("What was token_reused about?"))[0].startswith("The second")
