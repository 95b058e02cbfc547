import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memory.models import SearchText
from memory.retrieval.index import backfill
from memory.retrieval.index.backfill import Backfill, index_duties
from memory.retrieval.index.embed import embed_owed
from relationships.models import Companion, Relationship
from tests.fakes import ScriptedEmbedder
from tests.fixtures.contexts import remember, say
from tests.fixtures.index import OFFLINE, configure, embedded, index_of, told_to_embed
from tests.fixtures.people import meet
from tests.fixtures.turns import Conversation
from worker.housekeeping import duties


@pytest.fixture
def others(companion: Companion) -> list[Relationship]:
    return [meet(companion) for _ in range(4)]


def walk(backfill: Backfill, steps: int = 20) -> int:
    return sum(backfill.step(timezone.now()) for _ in range(steps))


def test_an_older_database_is_indexed_by_itself(others: list[Relationship]) -> None:
    for other in others:
        remember(other, "Likes tea")
        say(other, "Hello", "Hi")

    assert walk(Backfill()) == 12

    assert all(len(index_of(other)) == 3 for other in others)


def test_it_goes_in_small_steps(others: list[Relationship], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backfill, "RELATIONSHIPS_A_STEP", 2)
    monkeypatch.setattr(backfill, "ROWS_A_STEP", 3)
    monkeypatch.setattr("memory.retrieval.index.rebuild.ROWS_AT_ONCE", 2)
    for other in others:
        say(other, "one", "two", "three", "four", "five")
    walker = Backfill()

    steps = [walker.step(timezone.now()) for _ in range(20)]

    assert sum(steps) == 20
    assert max(steps) <= 4
    assert all(len(index_of(other)) == 5 for other in others)


def test_where_nothing_is_missing_a_step_costs_a_few_queries(
    others: list[Relationship], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for other in others:
        say(other, "Hello")
    walk(Backfill())

    # the relationships, their configurations, the languages, the ends
    with django_assert_num_queries(4):
        assert Backfill().step(timezone.now()) == 0


def test_after_the_last_relationship_it_begins_anew(relationship: Relationship) -> None:
    walker = Backfill()
    walk(walker, 3)
    say(relationship, "Hello")

    assert walk(walker, 2) == 1


def test_a_changed_language_is_noticed(relationship: Relationship, conversation: Conversation) -> None:
    conversation.remember("Has been running")
    conversation.say("I was running")
    configure(relationship, language="english")

    assert walk(Backfill()) == 2
    assert {row["language"] for row in index_of(relationship)} == {"english"}


def test_a_wrong_configuration_is_left_to_whoever_mends_it(
    relationship: Relationship, conversation: Conversation
) -> None:
    conversation.remember("Likes tea")
    configure(relationship, ranker="lost", language="english")

    assert walk(Backfill()) == 0


def test_another_embedder_by_hand_is_noticed(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    configure(relationship, embedder="default")
    entries = conversation.remember("Likes tea", "Has a cat")
    embed_owed(relationship_id=relationship.id)
    before = len(told_to_embed())
    assert Backfill().step(timezone.now()) == 0

    configure(relationship, embedder="offline")
    assert Backfill().step(timezone.now()) == 1

    assert len(told_to_embed()) == before + 1
    embed_owed(relationship_id=relationship.id)
    assert embedded(relationship, OFFLINE) == {entry.id for entry in entries}
    assert Backfill().step(timezone.now()) == 0


def test_an_embedder_that_can_not_work_stops_nothing(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    conversation.remember("Likes tea")
    configure(relationship, embedder="gemini")

    assert walk(Backfill(), 2) in {0, 1, 2}


def test_what_failed_for_good_is_no_gap(relationship: Relationship, conversation: Conversation) -> None:
    configure(relationship, embedder="offline")
    conversation.remember("Likes tea")
    SearchText.objects.update(due_at=None, error_code="content_blocked")

    assert Backfill().step(timezone.now()) == 0


def test_the_worker_keeps_this_duty() -> None:
    assert "complete_index" in {duty.name for duty in duties()}
    assert [duty.name for duty in index_duties()] == ["complete_index"]
