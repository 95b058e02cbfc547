"""What holds for every kind of row that owes work: one at a time has it, and nothing of it is lost."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from knowledge.models import Document
from memory.ingestion.replays import request_replay
from memory.models import Replay, SearchText
from relationships.models import Turn
from tests.fixtures.distributed import DISTRIBUTED
from tests.fixtures.documents import upload
from tests.fixtures.index import configure
from tests.fixtures.people import meet_elsewhere
from tests.fixtures.turns import PERSON, Conversation
from web.errors import BudgetSpent
from worker.identity import this_machine
from worker.leases import take_back_dead
from worker.models import WORKER_DIED, QueuedQuerySet
from worker.other_work import Work, other_work, read_other_work, rows_of
from worker.owed_rows import GRACE_SECONDS, postpone_overdue

pytestmark = pytest.mark.django_db(transaction=True)

GONE = f"{this_machine()}:999999999:1"


def turns(conversation: Conversation) -> QueuedQuerySet:
    for text in ("one", "two", "three"):
        conversation.say(text)
    return Turn.objects.for_relationship(conversation.relationship.id)


def texts(conversation: Conversation) -> QueuedQuerySet:
    configure(conversation.relationship, embedder="offline")
    conversation.remember("one", "two", "three")
    return SearchText.objects.for_relationship(conversation.relationship.id).exclude(due_at=None)


def replays(conversation: Conversation) -> QueuedQuerySet:
    ids = [conversation.say("one").id]
    for _ in range(3):
        request_replay(relationship=conversation.relationship, template="Keep it.", turn_ids=ids, by=PERSON)
    return Replay.objects.for_relationship(conversation.relationship.id)


def documents(conversation: Conversation) -> QueuedQuerySet:
    for text in ("one", "two", "three"):
        upload(conversation.relationship.companion, text)
    return Document.objects.all()


@pytest.fixture(params=[turns, texts, replays, documents], ids=lambda make: make.__name__)
def rows(request: pytest.FixtureRequest, conversation: Conversation) -> QueuedQuerySet:
    """Three rows of a kind, all due."""
    make: Callable[[Conversation], QueuedQuerySet] = request.param
    made = make(conversation)
    assert made.due(timezone.now()).count() == 3
    return made


@pytest.fixture(params=["on", "off"], ids=["as planned", "row by row"])
def plan(request: pytest.FixtureRequest) -> Iterator[None]:
    """The database chooses its plan, and has to take the one that joins row by row."""
    steps = ("hashjoin", "mergejoin", "material", "hashagg", "sort")
    with connection.cursor() as cursor:
        cursor.execute("; ".join(f"SET enable_{step} = {request.param}" for step in steps))
        yield
        cursor.execute("; ".join(f"RESET enable_{step}" for step in steps))


@pytest.mark.usefixtures("plan")
def test_no_row_is_taken_twice(rows: QueuedQuerySet) -> None:
    """Nor more than were asked for."""
    now = timezone.now()
    first, second = rows.claim(worker="one", now=now, most=2), rows.claim(worker="two", now=now)

    assert first is not None and second is not None
    assert (len(first.rows), len(second.rows)) == (2, 1)
    assert rows.claim(worker="three", now=now) is None
    assert {row.leased_by for row in rows} == {"one", "two"}


def test_who_claims_at_the_same_moment_gets_the_others(rows: QueuedQuerySet) -> None:
    """And does not wait for them."""
    if DISTRIBUTED and rows.model is Document:
        pytest.skip("documents are in a reference table, whose rows are claimed one after the other")
    now, taken = timezone.now(), list[int]()

    def claim() -> None:
        lease = rows.claim(worker="two", now=now)
        taken.append(len(lease.rows) if lease else 0)
        connection.close()

    with transaction.atomic():
        assert rows.claim(worker="one", now=now, most=2) is not None
        other = threading.Thread(target=claim)
        other.start()
        other.join(10)
        assert taken == [1]


def test_what_a_dead_worker_held_is_due_again_and_counted(rows: QueuedQuerySet) -> None:
    now = timezone.now()
    assert rows.claim(worker=GONE, now=now) is not None

    assert len(take_back_dead(rows, now)) == 3

    assert rows.due(now).count() == 3
    assert {(row.attempts, row.error_code, row.leased_by) for row in rows} == {(1, WORKER_DIED, "")}


def test_a_lease_lasts_as_long_as_it_is_renewed_also_by_a_worker_whose_clock_is_behind(
    rows: QueuedQuerySet,
) -> None:
    behind = timezone.now() - timedelta(minutes=5)
    rows.update(due_at=behind)
    lease = rows.claim(worker="one", now=behind)
    assert lease is not None
    assert take_back_dead(rows, timezone.now()) == []
    rows.update(lease_until=behind)

    assert rows.renew(lease.token) == 3
    assert take_back_dead(rows, timezone.now()) == []
    assert len(take_back_dead(rows, timezone.now() + timedelta(hours=1))) == 3
    assert rows.renew(lease.token) == 0, "it is lost"


def test_who_lost_a_row_gives_nothing_back(rows: QueuedQuerySet) -> None:
    now = timezone.now()
    lost = rows.claim(worker=GONE, now=now)
    take_back_dead(rows, now)
    held = rows.claim(worker="two", now=now)
    assert lost is not None and held is not None

    assert rows.held(lost.token).release(due_at=now, counted=True) == 0
    assert rows.held(held.token).release(due_at=now) == 3
    assert {row.attempts for row in rows} == {1}


def test_what_nobody_takes_is_found_once_in_a_while(rows: QueuedQuerySet) -> None:
    later = timezone.now() + timedelta(seconds=2 * GRACE_SECONDS)
    found = []
    for passed in (0, 1, 5.5):
        with transaction.atomic():
            moment = later + timedelta(seconds=passed)
            found.append(len(postpone_overdue(rows, moment, most=2 if not passed else 9)))

    assert found == [2, 1, 2]


def test_metrics_count_what_waits_is_held_or_failed_and_what_is_due_hides_no_other(
    rows: QueuedQuerySet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.other_work.COUNT_LIMIT", 1)
    failing, held, failed = (rows.filter(pk=row.pk) for row in rows)
    now = timezone.now()
    held.claim(worker=GONE, now=now)
    failing.release(due_at=now + timedelta(seconds=20), counted=True, code="unavailable")
    kind = str(rows.model._meta.verbose_name)
    if rows.model in other_work():
        failed.settle(state="failed", **{rows.model.FAILED_AT: now})
    project_id = rows[0].project_id

    counted = set(read_other_work())

    expected = {Work(project_id, kind, state, 1) for state in ("retrying", "processing", "failed")}
    assert counted == (expected if rows.model in other_work() else set())
    for state, one in (("retrying", failing), ("failed", failed)):
        if rows.model in other_work():
            assert [row.pk for row in rows_of(rows.model, project_id, state)] == [one.get().pk]


def test_failures_of_others_do_not_hide_those_of_a_project(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.other_work.COUNT_LIMIT", 2)
    elsewhere = meet_elsewhere().companion
    for companion, text in [
        (elsewhere, "one"),
        (elsewhere, "two"),
        (conversation.relationship.companion, "three"),
    ]:
        upload(companion, text)
        Document.objects.all().settle(state="failed", settled_at=timezone.now())
    project_id = conversation.relationship.project_id

    assert read_other_work(project_id) == [Work(project_id, "document", "failed", 1)]
    assert sum(work.rows for work in read_other_work()) == 2


@pytest.mark.parametrize(("seconds", "states"), [(-1, ["due"]), (20, [])])
def test_what_waits_for_a_budget_is_no_failure(
    conversation: Conversation, seconds: int, states: list[str]
) -> None:
    upload(conversation.relationship.companion, "one")
    due_at = timezone.now() + timedelta(seconds=seconds)
    Document.objects.all().release(due_at=due_at, code=BudgetSpent.code)

    assert [work.state for work in read_other_work()] == states
