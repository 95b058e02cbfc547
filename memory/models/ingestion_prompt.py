from django.db import models

from relationships.ids import uuid7
from relationships.models import Companion


class IngestionPrompt(models.Model):
    """One version of a companion's ingestion prompt. Versions are never changed; one is published at a time."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    companion = models.ForeignKey(Companion, on_delete=models.CASCADE, related_name="prompts")
    version = models.PositiveIntegerField()
    template = models.TextField()
    note = models.CharField(max_length=500, blank=True)
    created_by_kind = models.CharField(max_length=20)
    created_by_id = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["companion", "version"], name="prompt_version_once")]

    def __str__(self) -> str:
        return f"{self.companion_id} v{self.version}"
