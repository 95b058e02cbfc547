from datetime import timedelta

import pytest
from django.utils import timezone

from memory.models import SearchText
from memory.queue import vector_sweep
from memory.queue.sweep import Sweep
from memory.queue.vector_sweep import FIRST_PAUSE, VectorSweep
from relationships.models import Relationship
from tests.fixtures.index import configure, told_to_embed
from tests.fixtures.turns import Conversation


@pytest.fixture(autouse=True)
def owed(relationship: Relationship, conversation: Conversation) -> None:
    configure(relationship, embedder="offline")
    conversation.remember("Likes tea", "Has a cat")


def due(seconds: float, **values: object) -> None:
    """Every text is due so many seconds from now."""
    SearchText.objects.update(embed_due_at=timezone.now() + timedelta(seconds=seconds), **values)


def test_a_text_whose_nudge_was_lost_is_found(relationship: Relationship) -> None:
    due(-3)
    before = len(told_to_embed())

    assert Sweep().run(timezone.now()) == 1

    assert told_to_embed()[before:] == [str(relationship.id)]


def test_a_retry_is_found_as_soon_as_it_is_due(relationship: Relationship) -> None:
    due(-0.1, embed_attempts=1)

    assert VectorSweep().due(timezone.now()) == [relationship.id]


@pytest.mark.parametrize(
    "seconds",
    [pytest.param(-1, id="just written, and nudged by that"), pytest.param(60, id="waits, or is held")],
)
def test_a_text_that_needs_nobody_is_left_alone(seconds: float) -> None:
    due(seconds)

    assert VectorSweep().due(timezone.now()) == []


def test_what_owes_nothing_is_left_alone() -> None:
    SearchText.objects.update(embed_due_at=None)

    assert VectorSweep().due(timezone.now()) == []


def test_one_that_does_not_move_is_nudged_ever_less_often(relationship: Relationship) -> None:
    due(-3)
    sweep, now = VectorSweep(), timezone.now()

    nudged = [second for second in range(40) if sweep.due(now + timedelta(seconds=second))]

    assert nudged == [0, 5, 15, 35]


def test_one_that_owes_something_else_is_nudged_at_once(relationship: Relationship) -> None:
    sweep, now = VectorSweep(), timezone.now()
    due(-30)
    sweep.due(now)
    due(-3)

    assert sweep.due(now + FIRST_PAUSE / 5) == [relationship.id]


def test_a_round_sends_only_so_many_nudges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_sweep, "NUDGES_PER_SWEEP", 0)
    due(-3)

    assert VectorSweep().due(timezone.now()) == []
