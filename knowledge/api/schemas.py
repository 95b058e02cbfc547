"""What the calls about documents take and answer, and how the answers are made."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, StringConstraints

from knowledge.kinds import MEDIA_TYPES
from knowledge.models import Document, DocumentChunk, DocumentState
from knowledge.search import FoundKnowledge, KnowledgeHit
from web.consistency import ConsistencyBody, ReadFromAnswer
from web.fields import NOT_BLANK, Answer, Body, Name, PageQuery

LONGEST_QUERY = 8000  # characters


QueryText = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUERY), NOT_BLANK]


class DocumentUpload(Body):
    file: Annotated[str, Field(json_schema_extra={"format": "binary"})]
    """PDF, DOCX, HTML, Markdown or plain text, told by its bytes."""
    name: Name | None = None
    """What it is cited as; the file's own name if left out."""


class DocumentListQuery(PageQuery):
    state: DocumentState | None = None


class DocumentAnswer(Answer):
    id: UUID
    companion: UUID
    name: str
    media_type: str
    """Told by the bytes."""
    sha256: str
    size: int
    """Bytes."""
    state: DocumentState
    """pending and processing: on its way; ready; failed: `error` says why."""
    error_code: str | None
    error: str | None
    """Why it failed, or waits; and the way out."""
    attempts: int
    pages: int | None
    """Null: not read yet, or of a kind without pages."""
    characters: int
    chunks: int
    """How many chunks it was cut into; they are found by their text from then on."""
    chunks_done: int
    """How many of them have their vector too."""
    embedding_model: str | None
    added_by: str
    created_at: datetime
    settled_at: datetime | None
    """When it became ready or failed."""


class ChunkAnswer(Answer):
    id: UUID
    place: int
    """0 is the first."""
    page_from: int | None
    page_to: int | None
    heading: str
    """Where it begins, from the outermost heading inwards."""
    content: str
    repeats: int
    """So many characters at its beginning are the end of the chunk before it."""
    tokens: int
    """Estimated."""
    embed_error: str | None
    """Why it has no vector and will get none."""


class DocumentSearchBody(ConsistencyBody):
    query: QueryText
    top_k: Annotated[int, Field(ge=1, le=50)] | None = None
    """How many chunks at most; `knowledge.top_k` if left out."""
    min_score: Annotated[float, Field(ge=0, le=1)] | None = None
    """What scores less is left out; `knowledge.min_score` if left out."""
    explain: bool = False
    """Say of every chunk what its score is made of."""


class KnowledgeHitAnswer(Answer):
    chunk: UUID
    document: UUID
    document_name: str
    page_from: int | None
    page_to: int | None
    heading: str
    citation: str
    """Document and page, as a context cites it."""
    content: str
    score: float
    parts: dict[str, float] | None
    """`text` and `vector` (1 / (60 + rank), which make the score), `bm25` and `cosine`; with `explain` only."""


class KnowledgeFoundAnswer(ReadFromAnswer):
    items: list[KnowledgeHitAnswer]
    """Best first."""
    embedding_model: str | None
    """Whose vectors were compared; null: none were."""
    considered: int
    """How many chunks were ranked: all the companion has."""
    notes: list[str]
    """What was not as configured."""
    milliseconds: float


def present_document(document: Document) -> dict[str, Any]:
    return DocumentAnswer.of(
        document,
        companion=document.companion_id,
        media_type=MEDIA_TYPES[document.kind],
        sha256=bytes(document.sha256).hex(),
        error_code=document.error_code or None,
        error=document.error or None,
        chunks=document.chunk_count,
        embedding_model=document.embedding_model or None,
        added_by=":".join(filter(None, [document.added_by_kind, document.added_by_id])),
    )


def present_chunk(chunk: DocumentChunk) -> dict[str, Any]:
    return ChunkAnswer.of(chunk, embed_error=chunk.embed_error or None)


def present_found(found: FoundKnowledge, *, explain: bool) -> dict[str, Any]:
    return KnowledgeFoundAnswer.of(
        found,
        read=None,  # ApiView.answer_by fills it in
        items=[_present_hit(hit, explain=explain) for hit in found.hits],
        embedding_model=found.space.model if found.space else None,
        notes=list(found.notes),
        milliseconds=round(found.milliseconds, 3),
    )


def _present_hit(hit: KnowledgeHit, *, explain: bool) -> dict[str, Any]:
    parts = dict(hit.parts) if explain else None
    chunk = hit.chunk
    return KnowledgeHitAnswer.of(
        chunk,
        chunk=chunk.id,
        document=chunk.document_id,
        document_name=chunk.document.name,
        citation=hit.citation,
        score=hit.score,
        parts=parts,
    )
