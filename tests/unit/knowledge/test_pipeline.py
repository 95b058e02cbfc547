from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from pytest_django.fixtures import Settings

from config.postgresql.sessions import execute
from knowledge.errors import REASONS
from knowledge.models import (
    ChunkEmbedding,
    Document,
    DocumentChunk,
    DocumentFile,
    DocumentState,
)
from relationships.models import Companion
from tests.fixtures.documents import chunks_of, configure, docx_of, learn, pdf_of, process, upload
from tests.waiting import wait_until


def test_a_pdf_becomes_chunks_that_know_their_pages(companion: Companion) -> None:
    document = learn(companion, pdf_of("Refunds take five days.", "We open at nine."), "Handbook.pdf")

    assert (document.state, document.error) == (DocumentState.READY, "")
    assert (document.pages, document.attempts, document.reread) == (2, 0, False)
    (chunk,) = chunks_of(document)
    assert (chunk.page_from, chunk.page_to) == (1, 2)
    assert chunk.content == "Refunds take five days.\n\nWe open at nine."
    assert document.chunks_done == document.chunk_count == ChunkEmbedding.objects.count() == 1


def test_five_hundred_pages_are_read(companion: Companion) -> None:
    text = "\nThis sentence fills the page, as others do on other pages." * 12
    document = learn(companion, pdf_of(*(f"Page {number}. {text}" for number in range(500))), "Tome.pdf")

    assert (document.state, document.pages) == ("ready", 500)
    chunks = chunks_of(document)
    assert chunks[-1].page_to == 500
    assert 150 < len(chunks) == document.chunks_done < 400


KINDS: dict[str, tuple[bytes, str]] = {
    "docx": (docx_of(("Normal", "Words.")), "a.docx"),
    "html": (b"<!doctype html><p>Words.</p>", "a.html"),
    "markdown": (b"Words.", "a.md"),
    "text": (b"Words.", "a.txt"),
}


@pytest.mark.parametrize(("content", "name"), KINDS.values(), ids=KINDS)
def test_every_kind_is_read(companion: Companion, content: bytes, name: str) -> None:
    document = learn(companion, content, name)

    assert (document.state, document.pages) == ("ready", None)
    assert chunks_of(document)[0].content == "Words."


FAILED: dict[str, tuple[bytes, str, str]] = {
    "a broken PDF": (pdf_of("One")[:300], "a.pdf", "broken"),
    "a scan": (pdf_of("", ""), "a.pdf", "scanned"),
    "white space": (b" \n ", "a.txt", "no_text"),
}


@pytest.mark.parametrize(("content", "name", "code"), FAILED.values(), ids=FAILED)
def test_an_unreadable_document_fails_with_a_reason(
    companion: Companion, content: bytes, name: str, code: str
) -> None:
    document = learn(companion, content, name)

    assert (document.state, document.error_code, document.error) == ("failed", code, REASONS[code])
    assert document.settled_at is not None and document.due_at is None


def test_more_chunks_than_the_companion_may_have_fail_the_document(companion: Companion) -> None:
    configure(companion, max_chunks=2)
    learn(companion, "One.")

    assert learn(companion, "Two.").state == "ready"
    assert learn(companion, "Three.").error_code == "too_many_chunks"
    assert DocumentChunk.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_documents_that_are_read_at_once_stay_within_the_limit_together(companion: Companion) -> None:
    configure(companion, max_chunks=1)
    documents = [upload(companion, "One."), upload(companion, "Two.")]

    def read(document: Document) -> str:
        try:
            return process(document).error_code
        finally:
            connection.close()

    waits = (
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database "
        "WHERE datname = current_database())"
    )
    with ThreadPoolExecutor(2) as pool:
        with transaction.atomic():
            execute(
                f"LOCK {DocumentChunk._meta.db_table} IN SHARE MODE"
            )  # chunks can be counted, not written
            outcomes = [pool.submit(read, document) for document in documents]
            wait_until(lambda: execute(waits) == [(2,)], what="both to come to their chunks")
        codes = sorted(outcome.result() for outcome in outcomes)

    assert codes == ["", "too_many_chunks"]
    assert DocumentChunk.objects.count() == 1


def test_a_document_that_owes_nothing_is_not_processed(companion: Companion) -> None:
    document = learn(companion, "Words.")
    before = chunks_of(document)[0].id

    process(document)

    assert chunks_of(document)[0].id == before


def test_chunks_are_not_cut_again_after_a_worker_died(companion: Companion) -> None:
    document = learn(companion, "Words.")
    before = chunks_of(document)[0].id
    ChunkEmbedding.objects.all().delete()
    Document.objects.update(state="pending", due_at=document.created_at, chunks_done=0)
    DocumentFile.objects.all().delete()  # nor is the file asked for

    document = process(document)

    assert (document.state, document.chunks_done, chunks_of(document)[0].id) == ("ready", 1, before)


def test_a_configuration_that_has_become_wrong_is_the_reason(companion: Companion) -> None:
    configure(companion, embedder="gone")

    document = Document.objects.create(
        project_id=companion.project_id,
        companion=companion,
        name="a.txt",
        kind="text",
        sha256=b"1",
        size=1,
        due_at=companion.created_at,
    )
    document = process(document)

    assert (document.state, document.error_code) == ("failed", "invalid_configuration")
    assert "knowledge.embedder" in document.error


def test_a_mistake_of_ours_is_retried_and_then_shown(companion: Companion, settings: Settings) -> None:
    settings.MAX_DOCUMENT_PAGES = object()  # which no JSON can tell the reader
    document = upload(companion, "Words.")
    seen = []

    for _ in range(3):
        document = process(document)
        seen.append((document.state, document.error_code, document.attempts))
        Document.objects.filter(state="pending").update(due_at=document.created_at)

    assert seen == [
        ("pending", "internal_error", 1),
        ("pending", "internal_error", 2),
        ("failed", "internal_error", 3),
    ]
