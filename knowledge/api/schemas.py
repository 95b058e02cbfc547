"""Request and response schemas of the document API, and the functions that fill the responses."""

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
    """PDF, DOCX, HTML, Markdown or plain text, detected from the bytes."""
    name: Name | None = None
    """The name to cite; by default the file's name."""


class DocumentListQuery(PageQuery):
    state: DocumentState | None = None


class DocumentAnswer(Answer):
    id: UUID
    companion: UUID
    name: str
    media_type: str
    """Detected from the bytes."""
    sha256: str
    size: int
    """Bytes."""
    state: DocumentState
    """pending and processing: in progress; ready; failed: see `error`."""
    error_code: str | None
    error: str | None
    """Why it failed or waits, and what to do about it."""
    attempts: int
    pages: int | None
    """Null: not read yet, or a format without pages."""
    picture_pages: int
    """Pages with pictures and no text. What they show is not read: run text recognition (OCR) on the file first."""
    characters: int
    chunks: int
    """Number of chunks. They can be found by text as soon as they exist."""
    chunks_done: int
    """How many chunks have a vector."""
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
    """The headings at its beginning, outermost first."""
    content: str
    repeats: int
    """How many characters at its beginning repeat the end of the previous chunk."""
    tokens: int
    """Estimated."""
    embed_error: str | None
    """Why it has no vector and won't get one."""


class DocumentSearchBody(ConsistencyBody):
    query: QueryText
    top_k: Annotated[int, Field(ge=1, le=50)] | None = None
    """Most chunks to return; by default `knowledge.top_k`."""
    min_score: Annotated[float, Field(ge=0, le=1)] | None = None
    """Leave out chunks with a lower score; by default `knowledge.min_score`."""
    explain: bool = False
    """Include the parts of each chunk's score."""


class KnowledgeHitAnswer(Answer):
    chunk: UUID
    document: UUID
    document_name: str
    page_from: int | None
    page_to: int | None
    heading: str
    citation: str
    """Document and page, in the form that contexts use."""
    content: str
    score: float
    parts: dict[str, float] | None
    """`text` and `vector` (1 / (60 + rank); their sum is the score), `bm25` and `cosine`. Only with `explain`."""


class KnowledgeFoundAnswer(ReadFromAnswer):
    items: list[KnowledgeHitAnswer]
    """Best first."""
    embedding_model: str | None
    """The model whose vectors were compared; null: text only."""
    considered: int
    """How many chunks were ranked: all of the companion's."""
    notes: list[str]
    """What could not be done as configured."""
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
