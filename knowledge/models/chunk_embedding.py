from django.db import models
from django.db.models import Q
from pgvector.django import HalfVectorField

from knowledge.models.document_chunk import DocumentChunk
from relationships.models import Companion


class ChunkEmbedding(models.Model):
    """The vector of one chunk's heading and text in one model's space; compared only within that space."""

    chunk = models.ForeignKey(DocumentChunk, on_delete=models.CASCADE, related_name="+", db_index=False)
    companion = models.ForeignKey(Companion, on_delete=models.CASCADE, related_name="+", db_index=False)
    model = models.CharField(max_length=120)
    dimensions = models.PositiveIntegerField()
    vector = HalfVectorField()  # unit length

    class Meta:
        db_table = "context_chunkembedding"
        constraints = [
            models.UniqueConstraint(fields=["chunk", "model", "dimensions"], name="chunkembedding_once"),
            models.CheckConstraint(condition=Q(dimensions__gte=1), name="chunkembedding_has_dimensions"),
        ]
        indexes = [
            # the exact search: one companion and space
            models.Index(fields=["companion", "model", "dimensions"], name="chunkembedding_space"),
        ]

    def __str__(self) -> str:
        return f"{self.chunk_id} in {self.model}"
