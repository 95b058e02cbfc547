from typing import Any

from context.knowledge.kinds import MEDIA_TYPES
from context.knowledge.search import FoundKnowledge, KnowledgeHit
from context.models import Document, DocumentChunk


def present_document(document: Document) -> dict[str, Any]:
    return {
        "id": document.id,
        "companion": document.companion_id,
        "name": document.name,
        "media_type": MEDIA_TYPES[document.kind],
        "sha256": bytes(document.sha256).hex(),
        "size": document.size,
        "state": document.state,
        "error_code": document.error_code or None,
        "error": document.error or None,
        "attempts": document.attempts,
        "pages": document.pages,
        "characters": document.characters,
        "chunks": document.chunk_count,
        "chunks_done": document.chunks_done,
        "embedding_model": document.embedding_model or None,
        "added_by": ":".join(filter(None, [document.added_by_kind, document.added_by_id])),
        "created_at": document.created_at,
        "settled_at": document.settled_at,
    }


def present_chunk(chunk: DocumentChunk) -> dict[str, Any]:
    return {
        "id": chunk.id,
        "place": chunk.place,
        "page_from": chunk.page_from,
        "page_to": chunk.page_to,
        "heading": chunk.heading,
        "content": chunk.content,
        "repeats": chunk.repeats,
        "tokens": chunk.tokens,
        "embed_error": chunk.embed_error or None,
    }


def present_found(found: FoundKnowledge, *, explain: bool) -> dict[str, Any]:
    return {
        "items": [_present_hit(hit, explain=explain) for hit in found.hits],
        "embedding_model": found.space.model if found.space else None,
        "considered": found.considered,
        "notes": list(found.notes),
        "milliseconds": round(found.milliseconds, 3),
    }


def _present_hit(hit: KnowledgeHit, *, explain: bool) -> dict[str, Any]:
    return {
        "chunk": hit.chunk_id,
        "document": hit.document_id,
        "document_name": hit.document_name,
        "page_from": hit.page_from,
        "page_to": hit.page_to,
        "heading": hit.heading,
        "citation": hit.citation,
        "content": hit.content,
        "score": hit.score,
        "parts": dict(hit.parts) if explain else None,
    }
