"""The invariant of documents: one that is ready is complete."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from knowledge.documents import reread_document
from knowledge.models import Document
from upkeep.verification.invariant import BY_VERIFY, Finding, Invariant, Level, Problem

_FILES = """
SELECT 'file', d.companion_id, d.id, '' FROM context_document d LEFT JOIN context_documentfile f ON f.document_id = d.id
 WHERE d.companion_id = ANY(%(ids)s)
   AND (f.document_id IS NULL OR octet_length(f.content) <> d.size OR sha256(f.content) <> d.sha256)
"""
# Places count from 0; a chunk has its document's companion.
_CHUNKS = """
SELECT CASE d.state WHEN 'ready' THEN 'chunks' ELSE 'left_over' END, d.companion_id, d.id,
       c.there || ' chunks of ' || d.chunk_count
  FROM context_document d, LATERAL (
       SELECT count(*) AS there, coalesce(max(place) + 1, 0) AS places,
              coalesce(bool_or(companion_id <> d.companion_id), false) AS strange
         FROM context_documentchunk WHERE document_id = d.id) c
 WHERE d.companion_id = ANY(%(ids)s) AND (
       d.state = 'ready' AND ((c.there, c.places) <> (d.chunk_count, d.chunk_count) OR c.strange)
    OR d.state = 'failed' AND c.there > 0)
"""
_VECTORS = """
SELECT 'vectors', d.companion_id, d.id, count(*) || ' chunks'
  FROM context_document d
  JOIN context_documentchunk c ON c.document_id = d.id
  LEFT JOIN context_chunkembedding v
    ON v.chunk_id = c.id AND v.model = d.embedding_model AND v.dimensions = d.embedding_dimensions
 WHERE d.companion_id = ANY(%(ids)s) AND d.state = 'ready' AND d.embedding_model <> '' AND c.embed_error = ''
   AND (v.id IS NULL OR v.companion_id <> d.companion_id OR vector_dims(v.vector) <> v.dimensions)
 GROUP BY d.companion_id, d.id
"""


class DocumentsInvariant(Invariant):
    slug = "documents"
    promise = "A document has its bytes; one that is ready has all its chunks, each with its vector."
    level = Level.COMPANION

    problems = (
        Problem(
            "file",
            "a document's bytes do not exist, or are not those that were uploaded",
            "Delete the document and upload the file again. What was read of it is found until then.",
        ),
        Problem(
            "chunks", "a document is ready, and its chunks are not all there; --repair has it read again"
        ),
        Problem("left_over", "a document that failed still has chunks; --repair has it read again"),
        Problem(
            "vectors",
            "chunks of a ready document lack their vector, or have one of another shape; --repair has it read again",
        ),
    )
    statements = (_FILES, _CHUNKS, _VECTORS)

    def lock(self, owner_id: UUID) -> None:
        """Lock the companion, under whose lock uploads write, and its documents, under whose locks workers do."""
        super().lock(owner_id)
        list(
            Document.objects.select_for_update()
            .filter(companion_id=owner_id)
            .order_by("id")
            .values_list("id")
        )

    def repair(self, owner_id: Any, findings: Sequence[Finding], *, now: datetime) -> None:
        """Have the documents read again, from their stored bytes."""
        documents = Document.objects.filter(id__in={finding.row_id for finding in findings})
        for document in documents:
            reread_document(
                project_id=document.project_id,
                companion_id=document.companion_id,
                document_id=document.id,
                by=BY_VERIFY,
            )
