from context.models.chunk_embedding import ChunkEmbedding
from context.models.document import Document, DocumentState
from context.models.document_chunk import DocumentChunk
from context.models.document_file import DocumentFile

__all__ = ["ChunkEmbedding", "Document", "DocumentChunk", "DocumentFile", "DocumentState"]
