"""What knowledge does with a claim; how rows are claimed and taken back at all: tests/integration/test_queued_rows.py."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone
from django_q.models import OrmQ
from pytest_django.fixtures import Settings

from knowledge.claim import (
    claim_document,
    fail_document,
    hand_over,
    holding,
    process_owed_documents,
)
from knowledge.errors import DocumentLost
from knowledge.models import Document
from knowledge.pipeline import process
from relationships.models import Companion, Project
from tests.fixtures.documents import again, upload
from worker.failures import Failure
from worker.housekeeping import periodic_tasks
from worker.identity import this_machine
from worker.owed_rows import GRACE_SECONDS

GRACE = timedelta(seconds=GRACE_SECONDS)
GONE = f"{this_machine()}:999999999:1"


def claimed(companion: Companion, *, by: str = "one") -> Document:
    document = claim_document(document_id=upload(companion, "Words.").id, worker=by)
    assert document is not None
    return document


def test_holding_renews_the_lease_and_shows_the_row_as_it_is(companion: Companion) -> None:
    mine = claimed(companion)
    Document.objects.update(lease_until=timezone.now(), chunk_count=7)

    with holding(mine) as document:
        assert document.chunk_count == 7

    left = again(mine)
    assert left.lease_until is not None and left.lease_until > timezone.now()


def test_a_failure_keeps_its_reason(companion: Companion) -> None:
    mine = claimed(companion)

    fail_document(mine, code="broken", error="x" * 5000)

    left = again(mine)
    assert (left.state, left.error_code, len(left.error), left.attempts) == ("failed", "broken", 2000, 1)
    assert left.reread


def test_one_given_back_at_once_is_enqueued_and_a_later_one_is_not(companion: Companion) -> None:
    mine = claimed(companion)
    OrmQ.objects.all().delete()

    hand_over(mine)

    assert OrmQ.objects.count() == 1
    second = claim_document(document_id=mine.id, worker="two")
    assert second is not None
    with holding(second):
        Failure("rate_limited", "Later.", delay=9).release(second.held_row())
    left = again(mine)
    assert OrmQ.objects.count() == 1
    assert (left.state, left.attempts, left.error_code) == ("pending", 1, "rate_limited")
    assert claim_document(document_id=mine.id, worker="three") is None, "it waits for its retry"


def test_who_has_lost_it_writes_nothing(companion: Companion) -> None:
    mine = claimed(companion)
    Document.objects.update(lease_token="00000000-0000-0000-0000-000000000001")

    with pytest.raises(DocumentLost):
        fail_document(mine, code="broken", error="")
    with pytest.raises(DocumentLost), holding(mine):
        raise AssertionError("never entered")
    assert again(mine).state == "processing"


def test_a_document_whose_task_was_lost_is_enqueued_again_and_again(companion: Companion) -> None:
    upload(companion, "Words.")
    later = timezone.now() + 2 * GRACE

    assert "documents" in [periodic_task.name for periodic_task in periodic_tasks()]
    assert process_owed_documents(timezone.now()) == 0, "its own task has a moment"
    enqueued = [process_owed_documents(later + timedelta(seconds=passed)) for passed in (0, 1, 6)]
    assert enqueued == [1, 0, 1]


def test_a_document_that_every_worker_dies_of_fails(companion: Companion, settings: Settings) -> None:
    settings.MAX_ATTEMPTS = 3
    document = claimed(companion, by=GONE)
    Document.objects.update(attempts=2, chunk_count=4)

    assert process_owed_documents(timezone.now()) == 0

    left = again(document)
    assert (left.state, left.error_code, left.due_at, left.chunk_count) == ("failed", "worker_died", None, 0)
    assert "Workers died" in left.error


def test_a_flood_of_one_project_does_not_hide_anothers_document(
    companion: Companion,
) -> None:
    project = Project.objects.create(name="Elsewhere")
    other = Companion.objects.create(project=project, slug="eve", name="Eve")
    flood = [upload(companion, f"Words {number}.") for number in range(3)]
    single = upload(other, "Words.")
    later = timezone.now() + 2 * GRACE

    replace(process_owed_documents, most=2)(later)

    assert [again(each).due_at == later for each in (*flood, single)] == [True, False, False, True]


def test_a_document_that_is_gone_is_nothing_to_do(db: None) -> None:
    process(str(uuid4()))

    assert not Document.objects.exists()
