from datetime import timedelta

import pytest
from django.utils import timezone
from django_q.models import OrmQ

from memory.models import SearchText
from memory.retrieval.index.embed import embed_owed
from relationships.models import SessionState, Turn
from tests.fixtures.queue import held_by
from tests.fixtures.turns import Conversation
from tests.unit.upkeep.verification.damage import check_mended, check_whole, problems, run
from upkeep.verification import verify
from upkeep.verification.invariants.queue import BUSY
from worker.heartbeat import beat
from worker.models import WORKER_DIED

LONG_AGO = timezone.now() - timedelta(hours=1)


@pytest.fixture
def worker(db: None) -> None:
    beat(name="somewhere/1", pool_restarts=0, counters={})


SOON = timezone.now() + timedelta(days=1)
STUCK: list[tuple[str, dict[str, object]]] = [
    ("not_taken_back", {**held_by("elsewhere/1/1"), "lease_until": LONG_AGO, "claimed_at": LONG_AGO}),
    ("forgotten", {"due_at": LONG_AGO}),
    ("waits_for_nothing", {"due_at": None, "waits_for": ""}),
    ("waits_for_nothing", {"due_at": None, "waits_for": "session_end"}),
    ("put_off", {"due_at": SOON, "error_code": ""}),  # by a clock that was wrong
    ("put_off", {"due_at": SOON, "error_code": WORKER_DIED}),
]


@pytest.mark.parametrize(("found", "left"), STUCK)
def test_a_turn_that_is_stuck_is_due_again_and_read(
    lived: Conversation, worker: None, found: str, left: dict[str, object]
) -> None:
    turn = lived.say("And another thing")
    Turn.objects.filter(id=turn.id).update(**left)
    SessionState.objects.all().delete()
    run("UPDATE relationships_snapshot SET sessions = '{}'")
    OrmQ.objects.all().delete()

    check_mended([f"queue/{found}"])

    assert OrmQ.objects.count() == 1
    lived.drain()
    assert lived.again(turn).state == "applied"
    check_whole()


def test_a_turn_that_waits_behind_another_is_not_forgotten(lived: Conversation, worker: None) -> None:
    first, second = lived.say("One thing"), lived.say("Another")
    later = timezone.now() + timedelta(hours=1)
    Turn.objects.filter(id=first.id).update(due_at=later, attempts=1, error_code="timeout")
    Turn.objects.filter(id=second.id).update(due_at=LONG_AGO)

    check_whole()


def test_turns_that_only_wait_for_a_worker_are_a_remark(lived: Conversation) -> None:
    turn = lived.say("And another thing")
    Turn.objects.filter(id=turn.id).update(due_at=LONG_AGO)

    report = verify()

    assert report.holds
    assert "No worker is running" in report.remarks[0]


def test_turns_that_wait_while_the_pool_is_busy_are_in_order(lived: Conversation, worker: None) -> None:
    turn = lived.say("And another thing")
    Turn.objects.filter(id=turn.id).update(due_at=LONG_AGO)
    task = OrmQ.objects.first()
    assert task is not None
    OrmQ.objects.bulk_create(OrmQ(key=task.key, payload=task.payload, lock=task.lock) for _ in range(BUSY))

    check_whole()


def test_a_turn_that_waits_for_its_session_is_in_order(lived: Conversation) -> None:
    turn = lived.say("And another thing")
    Turn.objects.filter(id=turn.id).update(due_at=None, waits_for="session_end")

    check_whole()


def test_texts_that_nobody_embeds_are_due_anew(lived: Conversation, worker: None) -> None:
    lived.remember("Plays chess")
    SearchText.objects.exclude(due_at=None).update(due_at=LONG_AGO)

    check_mended(["queue/texts_forgotten"])

    embed_owed(relationship_id=lived.relationship.id)
    assert problems(verify()) == {}
