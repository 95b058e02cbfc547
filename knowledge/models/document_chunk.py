from django.contrib.postgres.search import SearchVectorField
from django.db import models

from knowledge.models.document import Document
from relationships.ids import uuid7
from relationships.models import Companion


class DocumentChunk(models.Model):
    """A piece of a document: what is found, shown and cited. Neighbours overlap."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="chunks", db_index=False)
    companion = models.ForeignKey(Companion, on_delete=models.CASCADE, related_name="+", db_index=False)
    place = models.PositiveIntegerField()  # 0 is the first
    page_from = models.PositiveIntegerField(null=True)  # 1 is the first; null: a kind without pages
    page_to = models.PositiveIntegerField(null=True)
    heading = models.CharField(max_length=300, blank=True)  # where it begins, from the outermost inwards
    content = models.TextField()
    repeats = models.PositiveIntegerField(
        default=0
    )  # so many characters at its beginning end the one before it
    tokens = models.PositiveIntegerField()  # estimated
    lexemes = SearchVectorField()
    length = models.PositiveIntegerField()  # positions of all lexemes: what BM25 takes for the text's length
    embed_error = models.CharField(max_length=60, blank=True)  # why it has no vector and will get none

    class Meta:
        db_table = "context_documentchunk"
        constraints = [models.UniqueConstraint(fields=["document", "place"], name="chunk_place_once")]
        indexes = [
            # a ranking reads all of a companion's
            models.Index(fields=["companion"], name="chunk_ranked"),
        ]

    def __str__(self) -> str:
        return f"{self.document_id}/{self.place}"
