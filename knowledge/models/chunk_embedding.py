from django.db import models
from django.db.models import Q
from pgvector.django import HalfVectorField

from knowledge.models.document_chunk import DocumentChunk
from relationships.models import Companion


class ChunkEmbedding(models.Model):
    """The vector of a chunk's heading and text. Compared only with vectors of the same model and dimensions."""

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
            # the exact search within a companion and a space
            models.Index(fields=["companion", "model", "dimensions"], name="chunkembedding_space"),
        ]

    def __str__(self) -> str:
        return f"{self.chunk_id} in {self.model}"
