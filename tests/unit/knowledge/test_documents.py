from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections
from django_q.models import OrmQ

from knowledge.documents import (
    add_document,
    delete_document,
    reread_document,
)
from knowledge.models import Document, DocumentFile
from relationships.models import AuditEvent, Companion
from tests.fixtures.documents import TESTER, learn, upload


def ids(document: Document) -> dict[str, object]:
    return {
        "project_id": document.project_id,
        "companion_id": document.companion_id,
        "document_id": document.id,
    }


def test_a_document_its_file_its_task_and_its_audit_come_together(companion: Companion) -> None:
    document = upload(companion, "Words.")

    assert bytes(DocumentFile.objects.get(document=document).content) == b"Words."
    assert OrmQ.objects.count() == 1
    event = AuditEvent.objects.get(action="document.added")
    assert event.target_id == document.id
    assert event.detail == {"companion_id": str(companion.id), "kind": "text", "size": 6}


@pytest.mark.django_db(transaction=True)
def test_of_eight_uploads_of_one_file_at_once_one_makes_the_document(companion: Companion) -> None:
    def send(number: int) -> tuple[Document, bool]:
        try:
            return add_document(
                project_id=companion.project_id,
                companion_id=companion.id,
                name=f"copy {number}.txt",
                content=b"Words.",
                by=TESTER,
            )
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        sent = list(pool.map(send, range(8)))

    assert sum(is_new for _, is_new in sent) == 1
    assert len({document.id for document, _ in sent}) == Document.objects.count() == 1
    assert OrmQ.objects.count() == 1
    connections.close_all()


def test_a_waiting_document_continues_where_it_was(companion: Companion) -> None:
    document = learn(companion, "Words.")
    Document.objects.update(state="pending", error="Later.", attempts=3)

    reread = reread_document(**ids(document), by=TESTER)  # type: ignore[arg-type]

    assert (reread.reread, reread.attempts, reread.error) == (False, 0, "")


def test_a_deleted_document_can_be_uploaded_again(companion: Companion) -> None:
    document = learn(companion, "Words.")

    delete_document(**ids(document), by=TESTER)  # type: ignore[arg-type]

    assert upload(companion, "Words.").id != document.id
