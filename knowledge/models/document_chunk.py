from django.contrib.postgres.search import SearchVectorField
from django.db import models

from knowledge.models.document import Document
from relationships.ids import uuid7
from relationships.models import Companion


class DocumentChunk(models.Model):
    """A piece of a document, the unit that is found, shown and cited. Neighbours overlap."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="chunks", db_index=False)
    companion = models.ForeignKey(Companion, on_delete=models.CASCADE, related_name="+", db_index=False)
    place = models.PositiveIntegerField()  # 0 is the first
    page_from = models.PositiveIntegerField(null=True)  # 1 is the first; null: a format without pages
    page_to = models.PositiveIntegerField(null=True)
    heading = models.CharField(max_length=300, blank=True)  # the headings at its beginning, outermost first
    content = models.TextField()
    # How many characters at its beginning repeat the end of the previous chunk.
    repeats = models.PositiveIntegerField(default=0)
    tokens = models.PositiveIntegerField()  # estimated
    lexemes = SearchVectorField()
    length = models.PositiveIntegerField()  # BM25's text length: the number of positions of all lexemes
    embed_error = models.CharField(max_length=60, blank=True)  # why it has no vector and won't get one

    class Meta:
        db_table = "context_documentchunk"
        constraints = [models.UniqueConstraint(fields=["document", "place"], name="chunk_place_once")]
        indexes = [
            # a ranking reads all chunks of a companion
            models.Index(fields=["companion"], name="chunk_ranked"),
        ]

    def __str__(self) -> str:
        return f"{self.document_id}/{self.place}"
