from knowledge.models.chunk_embedding import ChunkEmbedding
from knowledge.models.document import Document, DocumentState
from knowledge.models.document_chunk import DocumentChunk
from knowledge.models.document_file import DocumentFile

__all__ = ["ChunkEmbedding", "Document", "DocumentChunk", "DocumentFile", "DocumentState"]
