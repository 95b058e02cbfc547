"""Documents in the real service: uploaded over HTTP, read by a worker's processes, which a test may kill."""

from time import time
from typing import Any

import httpx
import psutil
import pytest

from knowledge.documents import add_document
from knowledge.models import ChunkEmbedding, Document, DocumentChunk
from relationships.models import Companion
from tests.acceptance.processes import LiveWorker, events_in
from tests.acceptance.service import LiveService
from tests.fixtures.documents import pdf_of
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until
from web.actor import Actor

PAGE = "\n".join(f"Line {number} of a page that speaks of parcels and refunds." for number in range(40))
SLOW = b"<!doctype html>" + b"<p>a" * 600_000  # to parse
TOME = pdf_of(*(f"Page {number}.\n{PAGE}" for number in range(1, 501)))


def start_worker(live: LiveService, model: OpenAIServer, **settings: str) -> LiveWorker:
    live.settings |= {
        "RAPPORT_EMBEDDING_PROVIDER": "openai",
        "RAPPORT_OPENAI_EMBEDDING_MODEL": "test-embedding",
        "OPENAI_BASE_URL": model.url,
        "OPENAI_API_KEY": "k",
        **settings,
    }
    worker = live.start_worker()
    worker.wait_until_in_order()
    return worker


@pytest.fixture
def companion(live: LiveService) -> Companion:
    return live.new_relationships(1)[0].companion


def upload(companion: Companion, content: bytes, name: str) -> Document:
    ids: dict[str, Any] = {"project_id": companion.project_id, "companion_id": companion.id}
    return add_document(**ids, name=name, content=content, by=Actor.policy("test"))[0]


def settled(document: Document, *, timeout: float = 60) -> Document:
    def look() -> Document | None:
        return Document.objects.filter(id=document.id, state__in=["ready", "failed"]).first()

    found = wait_until(look, timeout=timeout, what="the document to be settled")
    assert found is not None
    return found


def reader_of(document: Document) -> psutil.Process:
    holder = wait_until(
        lambda: (
            Document.objects.filter(id=document.id, state="processing")
            .values_list("leased_by", flat=True)
            .first()
        ),
        what="the document to be taken",
    )
    return psutil.Process(int(str(holder).split(":")[1]))


def test_a_tome_is_uploaded_read_and_found(live_service: LiveService) -> None:
    live = live_service
    companion = live.new_relationships(1)[0].companion
    documents = f"{live.web.url}/v1/companions/{companion.id}/documents"
    with httpx.Client(headers={"Authorization": f"Bearer {live.new_api_key()}"}, timeout=60) as client:
        sent = client.post(documents, files={"file": ("Tome.pdf", TOME)})
        assert sent.status_code == 201, sent.text

        def ready() -> dict[str, Any] | None:
            document: dict[str, Any] = client.get(f"{documents}/{sent.json()['id']}").json()
            return document if document["state"] == "ready" else None

        document = wait_until(ready, timeout=60, what="the document to be ready")
        found = client.post(f"{documents}/search", json={"query": "what does page 321 speak of?"}).json()

    assert document is not None
    assert (document["pages"], document["chunks_done"]) == (500, document["chunks"])
    assert found["considered"] == document["chunks"]
    assert any(hit["page_from"] <= 321 <= hit["page_to"] for hit in found["items"])


def test_one_whose_task_was_lost_is_found_and_a_killed_reader_loses_and_doubles_nothing_nor_leaves_a_process_behind(
    live: LiveService, model: OpenAIServer, companion: Companion
) -> None:
    model.latency = 0.3
    document = upload(companion, TOME, "Tome.pdf")
    live.database.rows("DELETE FROM django_q_ormq RETURNING id")
    worker = start_worker(live, model)
    wait_until(lambda: ChunkEmbedding.objects.count() >= 32, timeout=30, what="the first batch")
    reader_of(document).kill()
    model.latency = 0

    document = settled(document)

    assert (document.state, document.error) == ("ready", "")
    places = list(DocumentChunk.objects.order_by("place").values_list("place", flat=True))
    assert places == list(range(document.chunk_count))
    assert ChunkEmbedding.objects.count() == document.chunks_done == document.chunk_count > 64
    assert document.attempts == 0, "what became ready owes nothing to those that died"
    assert "document.ready" in events_in(worker.log)

    reader = reader_of(upload(companion, SLOW, "slow.html"))
    (parser,) = wait_until(reader.children, what="the parsing process")
    began = time()
    reader.kill()

    wait_until(lambda: not parser.is_running(), timeout=5, what="the parsing process to end with its reader")
    assert time() - began < 5, "long before it would have been too slow"


def test_a_file_that_can_not_be_parsed_in_time_costs_no_reader(
    live: LiveService, model: OpenAIServer, companion: Companion
) -> None:
    worker = start_worker(live, model, RAPPORT_DOCUMENT_SECONDS="1")
    readers = {reader.pid for reader in worker.readers()}

    document = settled(upload(companion, SLOW, "slow.html"))

    assert (document.state, document.error_code) == ("failed", "too_slow")
    assert {reader.pid for reader in worker.readers()} == readers
