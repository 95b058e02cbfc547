import pytest
from django.utils import timezone
from django_q.models import OrmQ

from knowledge.claim import (
    Claim,
    claim_document,
    fail_document,
    holding,
    note,
    release_document,
    settle_ready,
)
from knowledge.errors import DocumentLost
from knowledge.models import Document, DocumentState
from relationships.models import Companion
from tests.fixtures.documents import again, upload


def claimed(companion: Companion) -> Claim:
    claim = claim_document(document_id=upload(companion, "Words.").id, worker="one")
    assert claim is not None
    return claim


def test_one_that_waits_for_its_retry_is_not_claimed(companion: Companion) -> None:
    claim = claimed(companion)
    release_document(claim, delay=60)

    assert claim_document(document_id=claim.document.id, worker="two") is None


def test_holding_renews_the_lease_and_shows_the_row_as_it_is(companion: Companion) -> None:
    claim = claimed(companion)
    Document.objects.update(lease_until=timezone.now(), chunk_count=7)

    with holding(claim) as document:
        note(claim, chunks_done=3)

    left = again(document)
    assert (document.chunk_count, left.chunks_done) == (7, 3)
    assert left.lease_until is not None and left.lease_until > timezone.now()


def test_ready_is_the_end_of_it(companion: Companion) -> None:
    claim = claimed(companion)

    with holding(claim):
        settle_ready(claim)

    left = again(claim.document)
    assert (left.state, left.due_at, left.lease_token, left.leased_by) == (
        DocumentState.READY,
        None,
        None,
        "",
    )
    assert left.settled_at is not None


def test_a_failure_keeps_its_reason(companion: Companion) -> None:
    claim = claimed(companion)

    fail_document(claim, code="broken", error="x" * 5000)

    left = again(claim.document)
    assert (left.state, left.error_code, len(left.error), left.attempts) == ("failed", "broken", 2000, 1)
    assert left.reread


def test_one_given_back_at_once_is_nudged_and_a_later_one_is_not(companion: Companion) -> None:
    claim = claimed(companion)
    OrmQ.objects.all().delete()

    release_document(claim)

    assert OrmQ.objects.count() == 1
    second = claim_document(document_id=claim.document.id, worker="two")
    assert second is not None
    release_document(second, delay=9, code="rate_limited", error="Later.", counted=True)
    left = again(claim.document)
    assert OrmQ.objects.count() == 1
    assert (left.state, left.attempts, left.error_code) == ("pending", 1, "rate_limited")


def test_who_has_lost_it_writes_nothing(companion: Companion) -> None:
    claim = claimed(companion)
    Document.objects.update(lease_token="00000000-0000-0000-0000-000000000001")

    with pytest.raises(DocumentLost):
        fail_document(claim, code="broken", error="")
    with pytest.raises(DocumentLost), holding(claim):
        raise AssertionError("never entered")
    assert again(claim.document).state == "processing"
