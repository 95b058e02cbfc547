from typing import Self
from uuid import UUID

from django.db import models
from django.db.models import Q

from relationships.ids import uuid7
from relationships.models import Companion, Project
from worker.models import QueuedQuerySet, QueuedRow


class DocumentState(models.TextChoices):
    PENDING = "pending"
    PROCESSING = "processing"
    READY = "ready"
    FAILED = "failed"


class DocumentQuerySet(QueuedQuerySet):
    def of_companion(self, project_id: UUID, companion_id: UUID) -> Self:
        return self.filter(project_id=project_id, companion_id=companion_id)


class Document(QueuedRow):
    """A file that a companion knows. The row is the queue.

    Its chunks are written in one transaction, and can be found by text from then on. `chunks_done` is the number of
    chunks with a vector. A failed document has no chunks.
    """

    WAITING = {"state": DocumentState.PENDING}
    HELD = {"state": DocumentState.PROCESSING}
    FAILED_AT = "settled_at"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    companion = models.ForeignKey(
        Companion, on_delete=models.CASCADE, related_name="documents", db_index=False
    )
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=20)  # a kind of knowledge.kinds
    sha256 = models.BinaryField(max_length=32)
    size = models.BigIntegerField()  # bytes
    state = models.CharField(max_length=12, choices=DocumentState.choices, default=DocumentState.PENDING)
    error = models.TextField(blank=True)
    reread = models.BooleanField(default=True)  # its chunks have to be cut, or cut again
    pages = models.PositiveIntegerField(null=True)  # null: not read yet, or a format without pages
    picture_pages = models.PositiveIntegerField(default=0, db_default=0)  # have pictures and no text
    characters = models.PositiveIntegerField(default=0)
    language = models.CharField(max_length=20, blank=True)  # text search configuration of its chunks
    chunk_count = models.PositiveIntegerField(default=0)
    chunks_done = models.PositiveIntegerField(default=0)
    # With embedding_dimensions: the space of its vectors.
    embedding_model = models.CharField(max_length=120, blank=True)
    embedding_dimensions = models.PositiveIntegerField(null=True)
    added_by_kind = models.CharField(max_length=20)
    added_by_id = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True)  # when it became ready or failed

    objects = DocumentQuerySet.as_manager()

    class Meta:
        db_table = "context_document"
        constraints = [
            # the same file is one document; also serves lists of a companion's documents
            models.UniqueConstraint(fields=["companion", "sha256"], name="document_once"),
            models.CheckConstraint(condition=Q(state__in=DocumentState.values), name="document_known_state"),
        ]
        indexes = [
            # a companion's documents, newest first
            models.Index(fields=["companion", "-created_at", "-id"], name="document_newest"),
            # owed documents, and those whose worker may have died: the housekeeping reads it every other second
            models.Index(
                fields=["due_at"],
                condition=Q(state__in=["pending", "processing"]),
                name="document_owed",
            ),
            # /metrics: documents that were given up
            models.Index(
                fields=["project", "settled_at"], condition=Q(state="failed"), name="document_failed"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def ids(self) -> dict[str, str]:
        """For a line in the log."""
        return {"document_id": str(self.id), "companion_id": str(self.companion_id)}
