"""What the calls about documents take and answer. Answers are plain dicts; these classes describe them to OpenAPI."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints

from context.models import DocumentState
from relationships.api.fields import Answer, Body, Name, PageQuery

LONGEST_QUERY = 8000  # characters


def _has_words(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty")
    return value


QueryText = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_QUERY), AfterValidator(_has_words)
]


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


class DocumentPage(Answer):
    items: list[DocumentAnswer]
    next_cursor: str | None


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


class ChunkPage(Answer):
    items: list[ChunkAnswer]
    next_cursor: str | None


class DocumentSearchBody(Body):
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


class KnowledgeFoundAnswer(Answer):
    items: list[KnowledgeHitAnswer]
    """Best first."""
    embedding_model: str | None
    """Whose vectors were compared; null: none were."""
    considered: int
    """How many chunks were ranked: all the companion has."""
    notes: list[str]
    """What was not as configured."""
    milliseconds: float
