from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from memory.ingestion import sweep as sweeping
from memory.ingestion.sweep import Sweep
from memory.models import SearchText
from relationships.ids import uuid7
from relationships.models import Project, Relationship
from tests.fixtures.index import configure, told_to_embed
from tests.fixtures.turns import Conversation
from worker.fairness import room_for
from worker.identity import this_machine, worker_identity
from worker.reminders import FIRST_PAUSE


@pytest.fixture(autouse=True)
def owed(relationship: Relationship, conversation: Conversation) -> None:
    configure(relationship, embedder="offline")
    conversation.remember("Likes tea", "Has a cat")


def to_enqueue(sweep: Sweep, now: datetime) -> list[UUID]:
    return list(sweep.texts_owed(room_for(list(Project.objects.values_list("id", flat=True))), now))


def due(seconds: float, **values: object) -> None:
    """Every text is due so many seconds from now."""
    SearchText.objects.update(due_at=timezone.now() + timedelta(seconds=seconds), **values)


def test_a_text_whose_task_was_lost_is_found(relationship: Relationship) -> None:
    due(-3)
    before = len(told_to_embed())

    assert Sweep().run(timezone.now()) == 1

    assert told_to_embed()[before:] == [str(relationship.id)]


def test_a_retry_is_found_as_soon_as_it_is_due(relationship: Relationship) -> None:
    due(-0.1, attempts=1)

    assert to_enqueue(Sweep(), timezone.now()) == [relationship.id]


def test_what_a_dead_worker_held_is_found_in_the_same_round(relationship: Relationship) -> None:
    now = timezone.now()
    assert SearchText.objects.claim(worker=f"{this_machine()}:999999999:1", now=now) is not None

    assert to_enqueue(Sweep(), now) == [relationship.id]


def test_what_a_living_worker_holds_is_left_alone() -> None:
    due(-3)
    assert SearchText.objects.claim(worker=worker_identity(), now=timezone.now()) is not None

    assert to_enqueue(Sweep(), timezone.now()) == []


@pytest.mark.parametrize(
    "seconds",
    [pytest.param(-1, id="just written, and enqueued by that"), pytest.param(60, id="waits, or is held")],
)
def test_a_text_that_needs_nobody_is_left_alone(seconds: float) -> None:
    due(seconds)

    assert to_enqueue(Sweep(), timezone.now()) == []


def test_one_that_owes_something_else_is_enqueued_at_once(relationship: Relationship) -> None:
    sweep, now = Sweep(), timezone.now()
    due(-30)
    to_enqueue(sweep, now)
    due(-3)

    assert to_enqueue(sweep, now + FIRST_PAUSE / 5) == [relationship.id]


def test_what_another_project_owes_for_longer_does_not_hide_it(
    relationship: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeping, "ROWS_PER_PROJECT", 2)
    due(-3)
    owed_elsewhere(relationship, rows=3)

    assert relationship.id in to_enqueue(Sweep(), timezone.now())


def owed_elsewhere(like: Relationship, *, rows: int) -> None:
    """Texts of another project that are due for long."""
    project = Project.objects.create(name="Elsewhere")
    row: SearchText = SearchText.objects.for_relationship(like.id)[0]
    for _ in range(rows):
        row.id, row.owner_id, row.project_id = uuid7(), uuid7(), project.id
        row.due_at = timezone.now() - timedelta(hours=1)
        row.save(force_insert=True)
