from context.models import ChunkEmbedding, DocumentState
from relationships.models import Companion
from tests.fixtures.documents import chunks_of, learn, pdf_of


def test_a_pdf_becomes_chunks_that_know_their_page(companion: Companion) -> None:
    document = learn(companion, pdf_of("Refunds take five days.", "We open at nine."), "Handbook.pdf")
    assert (document.state, document.error) == (DocumentState.READY, "")
    assert document.pages == 2
    chunk = chunks_of(document)[0]
    assert (chunk.page_from, chunk.page_to) == (1, 2)
    assert "five days" in chunk.content
    assert document.chunks_done == document.chunk_count == 1
    assert ChunkEmbedding.objects.filter(companion=companion).count() == 1
