import pytest

from knowledge.chunks import AT_ONCE, MOST_REFUSED
from knowledge.models import ChunkEmbedding, Document
from knowledge.pipeline import process_document
from providers.errors import (
    ContentBlocked,
    InvalidVectors,
    RateLimited,
    RequestRefused,
    Unauthorized,
)
from relationships.models import Companion
from tests.fakes import ScriptedEmbedder
from tests.fixtures.documents import again, chunks_of, configure, learn, process, upload
from worker import worker_stats

SENTENCE = "A sentence of some words goes here, number {}. "


def long_text(count: int) -> str:
    return "\n\n".join(SENTENCE.format(number) * 4 for number in range(count))


def due_now(document: Document) -> Document:
    Document.objects.filter(id=document.id).update(due_at=document.created_at)
    return again(document)


def test_chunks_are_embedded_in_batches_with_their_heading(
    companion: Companion, scripted_embedder: ScriptedEmbedder
) -> None:
    configure(companion, chunk_tokens=50, overlap_tokens=0)

    document = learn(companion, "# Prices\n\n" + long_text(40), "a.md")

    assert [purpose for purpose, _ in scripted_embedder.asked] == ["document"] * 2
    assert [len(texts) for _, texts in scripted_embedder.asked] == [AT_ONCE, document.chunk_count - AT_ONCE]
    assert all(text.startswith("Prices\n") for text in scripted_embedder.texts)
    assert document.chunks_done == document.chunk_count == ChunkEmbedding.objects.count()
    assert (document.embedding_model, document.embedding_dimensions) == ("scripted-embedder-1", 64)


def test_a_transient_failure_waits_and_loses_no_batch(
    companion: Companion, scripted_embedder: ScriptedEmbedder
) -> None:
    configure(companion, chunk_tokens=50, overlap_tokens=0)
    full = RateLimited(retry_after=30)
    scripted_embedder.answer_with(full, None, full)

    document = process(due_now(learn(companion, long_text(40))))

    assert (document.state, document.error_code) == ("pending", "rate_limited")
    assert (document.chunks_done, document.attempts) == (AT_ONCE, 1), "a stored batch ends the count"
    document = process(due_now(document))
    assert (document.state, document.error, document.chunks_done) == ("ready", "", document.chunk_count)
    assert len(scripted_embedder.asked) == 4, "the first batch was not asked for again"


def test_a_wrong_key_is_waited_for_without_end(
    companion: Companion, scripted_embedder: ScriptedEmbedder
) -> None:
    scripted_embedder.answer_with(Unauthorized("The key is wrong."))

    document = learn(companion, "Words.")

    assert (document.state, document.attempts, document.error) == ("pending", 0, "The key is wrong.")
    assert chunks_of(document), "and it is found by its text meanwhile"


def test_a_refused_chunk_does_not_affect_the_others(
    companion: Companion, scripted_embedder: ScriptedEmbedder
) -> None:
    configure(companion, chunk_tokens=50, overlap_tokens=0)

    def refuse(texts: object) -> None:
        if "number 5." in str(texts):
            raise ContentBlocked("No.")

    scripted_embedder.while_answering = refuse
    document = learn(companion, long_text(10))

    refused = [chunk for chunk in chunks_of(document) if chunk.embed_error]
    assert (document.state, document.chunks_done) == ("ready", document.chunk_count)
    assert [chunk.embed_error for chunk in refused] == ["content_blocked"] * len(refused)
    assert 1 <= len(refused) <= 2
    assert ChunkEmbedding.objects.count() == document.chunk_count - len(refused)


@pytest.mark.parametrize("error", [RequestRefused("No such size."), InvalidVectors("They are zeros.")])
def test_an_embedder_that_refuses_everything_fails_the_document(
    companion: Companion, scripted_embedder: ScriptedEmbedder, error: Exception
) -> None:
    configure(companion, chunk_tokens=50, overlap_tokens=0)
    scripted_embedder.answer_with(*[error] * 100)

    document = learn(companion, long_text(20))

    assert (document.state, document.error) == ("failed", str(error))
    assert chunks_of(document) == [] and document.chunk_count == 0
    assert len(scripted_embedder.asked) < 3 * MOST_REFUSED


def test_a_document_deleted_meanwhile_leaves_nothing(
    companion: Companion, scripted_embedder: ScriptedEmbedder
) -> None:
    document = upload(companion, "Words.")
    scripted_embedder.while_answering = lambda texts: Document.objects.all().delete() and None

    process_document(document_id=document.id, worker="test")

    assert not Document.objects.exists() and not ChunkEmbedding.objects.exists()


def test_without_an_embedder_nothing_is_asked(
    companion: Companion, scripted_embedder: ScriptedEmbedder
) -> None:
    configure(companion, embedder="none")

    document = learn(companion, "Words.")

    assert (document.state, document.chunks_done, scripted_embedder.asked) == ("ready", 1, [])
    assert document.embedding_model == ""


def test_it_gives_way_after_a_batch_when_others_wait_and_goes_on_from_there(
    companion: Companion, scripted_embedder: ScriptedEmbedder
) -> None:
    configure(companion, chunk_tokens=50, overlap_tokens=0)
    shared = worker_stats.WorkerStats()
    worker_stats.use(shared)
    worker_stats.note_handed(1)
    try:
        document = learn(companion, long_text(40))
    finally:
        worker_stats.use(None)
        shared.close()

    assert (document.state, document.chunks_done, document.attempts) == ("pending", AT_ONCE, 0)
    document = process(due_now(document))
    assert (document.state, document.chunks_done) == ("ready", document.chunk_count)
