from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from memory.models import SearchText
from memory.retrieval.index import wording
from memory.retrieval.index.embed import embed_owed
from memory.retrieval.index.wording import AGAIN, WordsWalk
from relationships.models import Relationship
from tests.fixtures.index import configure, embedded, index_of, owing
from tests.fixtures.turns import Conversation
from worker.housekeeping import periodic_tasks
from worker.models import PeriodicRun


def made_by_an_older_version() -> None:
    SearchText.objects.update(lexemes="'other':1", length=1)


def test_after_an_upgrade_all_words_are_rewritten_in_small_steps_and_no_vector(
    relationship: Relationship, conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wording, "ROWS_A_STEP", 2)
    configure(relationship, embedder="offline", embed_messages=True)
    conversation.remember("Likes tea", "Has a cat")
    conversation.say("東京に行った", "Bye <rapport_memory>x</rapport_memory>", "Mail ada@example.org")
    embed_owed(relationship_id=relationship.id)
    before, vectors = index_of(relationship), embedded(relationship)
    made_by_an_older_version()
    now = timezone.now()

    assert [WordsWalk().step(now) for _ in range(4)] == [2, 2, 1, 0], "whichever worker does a step"
    assert (index_of(relationship), embedded(relationship), owing(relationship)) == (before, vectors, set())


def test_it_goes_on_until_it_finds_nothing_and_then_rests_until_the_next_upgrade(
    conversation: Conversation,
    django_assert_num_queries: DjangoAssertNumQueries,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    conversation.remember("Likes tea")
    made_by_an_older_version()
    walk, now = WordsWalk(), timezone.now()
    assert [walk.step(now) for _ in range(2)] == [1, 0]
    made_by_an_older_version()  # a process that was not restarted yet

    assert walk.step(now + AGAIN - timedelta(seconds=1)) == 0
    assert [walk.step(now + AGAIN) for _ in range(2)] == [1, 0]
    assert [walk.step(now + 2 * AGAIN) for _ in range(2)] == [0, 0]
    with django_assert_num_queries(0):
        walk.step(now + 3 * AGAIN)
    assert PeriodicRun.objects.filter(name__startswith="words_").count() == 1

    made_by_an_older_version()
    assert WordsWalk().step(now) == 0, "nor does another process look again"
    monkeypatch.setattr(wording, "_name", lambda: "words_of_another_version")
    assert WordsWalk().step(now) == 1


def test_metrics_say_how_far_it_is(
    relationship: Relationship, conversation: Conversation, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def share() -> float:
        lines = client.get("/metrics").content.decode().splitlines()
        return float(
            next(line for line in lines if line.startswith("rapport_index_words_renewed ")).split()[1]
        )

    monkeypatch.setattr(wording, "ROWS_A_STEP", 1)
    conversation.remember("Likes tea", "Has a cat")
    made_by_an_older_version()
    walk, now = WordsWalk(), timezone.now()

    shares = [share()]
    for _ in range(3):
        walk.step(now)
        shares.append(share())
    walk.step(now + AGAIN)

    here = relationship.id.int / 2**128
    assert shares == pytest.approx([0, here, here, 1])
    assert share() == 1, "when it looks again"


def test_a_step_reads_no_more_than_it_may(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wording, "CHARACTERS_A_STEP", 20)
    conversation.remember("Likes tea", "Has a cat", "Is allergic to peanuts and hazelnuts")
    made_by_an_older_version()
    walk, now = WordsWalk(), timezone.now()

    steps = [walk.step(now) for _ in range(3)]
    assert sum(steps) == 3 and max(steps) < 3


def test_code_that_replaces_a_running_workers_is_not_taken_for_its_own(
    db: None, settings: Settings, tmp_path: Path
) -> None:
    WordsWalk()
    before = wording._name()
    settings.BASE_DIR = tmp_path
    assert wording._name() == before


def test_a_worker_does_it() -> None:
    assert "renew_words" in {periodic_task.name for periodic_task in periodic_tasks()}
