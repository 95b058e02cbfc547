import pytest

from knowledge.models import ChunkEmbedding, Document, DocumentFile
from relationships.models import Companion
from tests.fixtures.documents import learn, pdf_of, process
from tests.unit.upkeep.verification.damage import (
    check_left,
    check_mended,
    check_whole,
    problems,
    run,
)
from upkeep.verification import verify

TEXT = "\nThis sentence fills the page, as others do on other pages." * 12

LOSE = """
WITH lost AS (DELETE FROM context_documentchunk WHERE place = {place} RETURNING id)
DELETE FROM context_chunkembedding WHERE chunk_id IN (SELECT id FROM lost)
"""


@pytest.fixture
def handbook(companion: Companion) -> Document:
    return learn(companion, pdf_of(*(f"Page {number}. {TEXT}" for number in range(6))), "Handbook.pdf")


def test_a_document_that_was_read_is_in_order(handbook: Document) -> None:
    check_whole()
    assert handbook.chunk_count > 1


@pytest.mark.parametrize(
    ("found", "damage"),
    [
        ("chunks", LOSE.format(place=0)),
        ("chunks", LOSE.format(place=1)),
        ("vectors", "DELETE FROM context_chunkembedding"),
        ("vectors", "UPDATE context_chunkembedding SET dimensions = dimensions + 1"),
        ("left_over", "UPDATE context_document SET state = 'failed', chunk_count = 0, chunks_done = 0"),
    ],
)
def test_a_document_that_lost_a_part_is_read_again(handbook: Document, found: str, damage: str) -> None:
    run(damage)

    check_mended([f"documents/{found}"])

    process(handbook)
    assert ChunkEmbedding.objects.filter(chunk__document=handbook).count() == handbook.chunk_count
    check_whole()


@pytest.mark.parametrize(
    "damage",
    ["DELETE FROM context_documentfile", "UPDATE context_documentfile SET content = reverse(content)"],
)
def test_a_document_without_its_bytes_is_left_to_a_person(handbook: Document, damage: str) -> None:
    run(damage)

    check_left(["documents/file"])


def test_documents_are_looked_at_with_their_project(handbook: Document) -> None:
    DocumentFile.objects.all().delete()

    assert problems(verify(project_id=handbook.project_id)) == {"documents/file": 1}
