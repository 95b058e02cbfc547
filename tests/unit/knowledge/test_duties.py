from datetime import timedelta

import pytest
from django.utils import timezone
from django_q.models import OrmQ
from pytest_django.fixtures import Settings

from knowledge import duties as duties_module
from knowledge.claim import claim_document
from knowledge.duties import (
    document_duties,
    process_owed_documents,
    release_dead_documents,
)
from knowledge.models import Document
from relationships.models import Companion, Project
from tests.fixtures.documents import again, upload
from worker.housekeeping import duties
from worker.identity import this_machine, worker_identity
from worker.leases import GRACE_SECONDS

GRACE = timedelta(seconds=GRACE_SECONDS)
GONE = f"{this_machine()}:999999999:1"


def held(companion: Companion, *, by: str) -> Document:
    document = upload(companion, "Words.")
    assert claim_document(document_id=document.id, worker=by)
    return document


def test_the_housekeeping_has_the_duty() -> None:
    assert [duty.name for duty in document_duties()] == ["documents"]
    assert "documents" in [duty.name for duty in duties()]


def test_a_document_whose_nudge_was_lost_is_nudged(companion: Companion) -> None:
    upload(companion, "Words.")
    OrmQ.objects.all().delete()

    assert process_owed_documents(timezone.now()) == 0, "its own nudge has a moment"
    assert process_owed_documents(timezone.now() + 2 * GRACE) == 1
    assert OrmQ.objects.count() == 1


def test_one_that_was_nudged_is_left_alone_for_a_while(companion: Companion) -> None:
    upload(companion, "Words.")
    later = timezone.now() + 2 * GRACE

    nudged = [process_owed_documents(later + timedelta(seconds=passed)) for passed in (0, 1, 6)]

    assert nudged == [1, 0, 1]


def test_what_a_dead_worker_held_is_due_again(companion: Companion) -> None:
    document = held(companion, by=GONE)

    assert process_owed_documents(timezone.now()) == 1

    left = again(document)
    assert (left.state, left.attempts, left.error_code, left.leased_by) == ("pending", 1, "worker_died", "")


def test_what_a_living_worker_holds_stays_until_its_lease_runs_out(companion: Companion) -> None:
    document = held(companion, by=worker_identity())

    assert release_dead_documents(timezone.now()) == []
    assert release_dead_documents(timezone.now() + timedelta(hours=1)) == [document]
    assert again(document).state == "pending"


@pytest.mark.parametrize("holder", ["elsewhere/0badc0de:12:34", "somebody"])
def test_a_holder_that_may_live_is_left_alone(holder: str, companion: Companion) -> None:
    held(companion, by=holder)

    assert release_dead_documents(timezone.now()) == []


def test_a_document_that_every_worker_dies_of_fails(companion: Companion, settings: Settings) -> None:
    settings.MAX_ATTEMPTS = 3
    document = held(companion, by=GONE)
    Document.objects.update(attempts=2, chunk_count=4)

    process_owed_documents(timezone.now())

    left = again(document)
    assert (left.state, left.error_code, left.due_at, left.chunk_count) == ("failed", "worker_died", None, 0)
    assert "Workers died" in left.error


def test_a_flood_of_one_project_does_not_hide_anothers_document(
    companion: Companion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duties_module, "AT_ONCE", 2)
    project = Project.objects.create(name="Elsewhere")
    other = Companion.objects.create(project=project, slug="eve", name="Eve")
    for number in range(4):
        upload(companion, f"Words {number}.")
    single = upload(other, "Words.")
    later = timezone.now() + 2 * GRACE

    process_owed_documents(later)

    assert again(single).due_at == later, "it was nudged"


def test_the_documents_of_one_project_come_the_longest_due_first(
    companion: Companion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duties_module, "AT_ONCE", 2)
    documents = [upload(companion, f"Words {number}.") for number in range(3)]
    later = timezone.now() + 2 * GRACE

    process_owed_documents(later)

    assert [again(document).due_at == later for document in documents] == [True, True, False]
