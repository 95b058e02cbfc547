import pytest

from knowledge.models import ChunkEmbedding, Document, DocumentChunk, DocumentFile
from relationships.models import Companion
from tests.fixtures.documents import learn, pdf_of, process
from tests.unit.upkeep.verification.damage import check_left, check_mended, check_whole, problems, run
from upkeep.verification import verify

TEXT = "\nThis sentence fills the page, as others do on other pages." * 12


@pytest.fixture
def handbook(companion: Companion) -> Document:
    return learn(companion, pdf_of(*(f"Page {number}. {TEXT}" for number in range(6))), "Handbook.pdf")


def test_a_document_that_was_read_is_in_order(handbook: Document) -> None:
    check_whole()
    assert handbook.chunk_count > 1


@pytest.mark.parametrize("place", [0, 1])
def test_a_document_that_lost_a_chunk_is_read_again(handbook: Document, place: int) -> None:
    DocumentChunk.objects.filter(document=handbook, place=place).delete()

    check_mended(["documents/chunks"])

    process(handbook)
    assert DocumentChunk.objects.filter(document=handbook).count() == handbook.chunk_count
    check_whole()


@pytest.mark.parametrize(
    "damage",
    ["DELETE FROM context_chunkembedding", "UPDATE context_chunkembedding SET dimensions = dimensions + 1"],
)
def test_a_document_without_its_vectors_is_read_again(handbook: Document, damage: str) -> None:
    run(damage)

    check_mended(["documents/vectors"])

    process(handbook)
    assert ChunkEmbedding.objects.filter(chunk__document=handbook).count() >= handbook.chunk_count
    check_whole()


def test_chunks_of_a_document_that_failed_go_with_reading_it_again(handbook: Document) -> None:
    Document.objects.update(state="failed", chunk_count=0, chunks_done=0)

    check_mended(["documents/left_over"])


@pytest.mark.parametrize("damage", ["missing", "another"])
def test_a_document_without_its_bytes_is_left_to_a_person(handbook: Document, damage: str) -> None:
    if damage == "missing":
        DocumentFile.objects.all().delete()
    else:
        DocumentFile.objects.update(content=b"x" * handbook.size)

    check_left(["documents/file"])


def test_documents_are_looked_at_with_their_project(handbook: Document) -> None:
    DocumentFile.objects.all().delete()

    assert problems(verify(project_id=handbook.project_id)) == {"documents/file": 1}
