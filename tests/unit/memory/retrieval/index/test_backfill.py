import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memory.models import Embedding, ScratchpadEntry, SearchText
from memory.retrieval.index import backfill
from memory.retrieval.index.backfill import CHECKS_ALL, Backfill, complete_index, rebuild_index
from memory.retrieval.index.embed import embed_owed
from relationships.models import Companion, Message, Relationship
from tests.fakes import ScriptedEmbedder
from tests.fixtures.contexts import remember, say
from tests.fixtures.index import OFFLINE, configure, embedded, index_of, owing, told_to_embed
from tests.fixtures.people import meet
from tests.fixtures.turns import Conversation
from worker.housekeeping import periodic_tasks


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backfill, "ROWS_AT_ONCE", 2)


@pytest.fixture
def others(companion: Companion) -> list[Relationship]:
    return [meet(companion) for _ in range(4)]


def walk(backfill: Backfill, steps: int = 20) -> int:
    return sum(backfill.step(timezone.now()) for _ in range(steps))


def test_an_index_that_is_built_anew_is_the_same(
    relationship: Relationship, conversation: Conversation
) -> None:
    configure(relationship, embedder="offline")
    entry = conversation.remember("Likes tea")[0]
    conversation.say("Hello <rapport_memory>x</rapport_memory>", "東京に行った", "Bye")
    embed_owed(relationship_id=relationship.id)
    before = index_of(relationship)

    assert rebuild_index(relationship.id) == 4
    assert (index_of(relationship), embedded(relationship), owing(relationship)) == (
        before,
        {entry.id},
        set(),
    )

    SearchText.objects.for_relationship(relationship.id).delete()
    rebuild_index(relationship.id)
    assert index_of(relationship) == before


def test_rows_of_nothing_go(relationship: Relationship, conversation: Conversation) -> None:
    configure(relationship, embedder="offline", embed_messages=True)
    conversation.remember("Likes tea")
    conversation.say("I like tea")
    embed_owed(relationship_id=relationship.id)
    ScratchpadEntry.objects.for_relationship(relationship.id).delete()
    SearchText.objects.filter(kind="message").update(owner_id=relationship.id)

    rebuild_index(relationship.id)

    message = Message.objects.for_relationship(relationship.id).get()
    assert [row["owner_id"] for row in index_of(relationship)] == [message.id]
    assert {row.owner_id for row in Embedding.objects.all()} == {message.id}


def test_a_relationship_that_is_gone_has_no_index(relationship: Relationship) -> None:
    Relationship.objects.all().delete()

    assert rebuild_index(relationship.id) == 0


def test_what_is_missing_is_completed_in_steps_from_the_newest_to_the_oldest(
    relationship: Relationship, conversation: Conversation
) -> None:
    conversation.remember("Likes tea")
    said = say(relationship, "one", "two", "three", "four", "five")
    say(relationship, "", erased_at="2026-03-02T12:00:00Z")

    assert complete_index(relationship.id, most=2) == 2
    messages = {row["owner_id"] for row in index_of(relationship) if row["kind"] == "message"}
    assert messages == {said[3].id, said[4].id}

    assert complete_index(relationship.id, most=100) == 3
    assert complete_index(relationship.id, most=100) == 0


def test_an_older_database_is_indexed_by_itself_in_small_steps(
    others: list[Relationship], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backfill, "RELATIONSHIPS_A_STEP", 2)
    monkeypatch.setattr(backfill, "ROWS_A_STEP", 3)
    for other in others:
        remember(other, "Likes tea")
        say(other, "one", "two", "three", "four")
    walker = Backfill()

    steps = [walker.step(timezone.now()) for _ in range(20)]

    assert (sum(steps), max(steps)) == (20, 4)
    assert all(len(index_of(other)) == 5 for other in others)


def test_where_nothing_is_missing_a_step_costs_a_few_queries(
    others: list[Relationship], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for other in others:
        say(other, "Hello")
    walk(Backfill())

    # the relationships, their configurations, the ends
    with django_assert_num_queries(3):
        assert Backfill().step(timezone.now()) == 0


def test_once_a_day_a_gap_between_texts_with_vectors_is_found(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    now, walker = timezone.now(), Backfill()
    configure(relationship, embedder="default")
    walk(walker, 2)
    entries = conversation.remember("Likes tea", "Has a cat", "Has a dog")
    embed_owed(relationship_id=relationship.id)
    Embedding.objects.filter(owner_id=entries[1].id).delete()

    walker.step(now + CHECKS_ALL / 2)
    walker.step(now + CHECKS_ALL / 2)
    assert owing(relationship) == set()

    walker.step(now + CHECKS_ALL * 2)
    assert owing(relationship) == {entries[1].id}
    embed_owed(relationship_id=relationship.id)
    assert Embedding.objects.filter(owner_id=entries[1].id).exists()


def test_after_the_last_relationship_it_begins_anew(relationship: Relationship) -> None:
    walker = Backfill()
    walk(walker, 3)
    say(relationship, "Hello")

    assert walk(walker, 2) == 1
    assert "complete_index" in {periodic_task.name for periodic_task in periodic_tasks()}, (
        "and a worker keeps walking"
    )


def test_a_changed_language_is_noticed(relationship: Relationship, conversation: Conversation) -> None:
    conversation.remember("Has been running")
    conversation.say("I was running")
    configure(relationship, language="english")

    assert walk(Backfill()) == 2
    assert {row["language"] for row in index_of(relationship)} == {"english"}
    assert all("'run'" in row["lexemes"] for row in index_of(relationship))


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
