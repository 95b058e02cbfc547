from uuid import uuid4

import pytest

from knowledge.models import Document
from knowledge.tasks import process
from relationships.models import Companion
from tests.fixtures.documents import again, upload
from worker import worker_stats


def test_the_task_processes_the_document(companion: Companion) -> None:
    document = upload(companion, "Words.")

    process(str(document.id))

    assert again(document).state == "ready"


def test_a_document_that_is_gone_is_nothing_to_do(db: None) -> None:
    process(str(uuid4()))

    assert not Document.objects.exists()


def test_a_worker_that_is_to_stop_begins_nothing(companion: Companion) -> None:
    document = upload(companion, "Words.")
    stopping = worker_stats.WorkerStats()
    stopping.page.stopping = 1
    worker_stats.use(stopping)
    try:
        process(str(document.id))
    finally:
        worker_stats.use(None)
        stopping.close()

    assert again(document).state == "pending"


def test_a_crash_is_logged_without_its_words_and_never_raised(
    db: None, caplog: pytest.LogCaptureFixture
) -> None:
    process("no ID at all")

    assert "document.crashed" in caplog.text
