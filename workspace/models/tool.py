from django.db import models

from relationships.ids import uuid7
from relationships.models import Companion, Project


class Named(models.Model):
    """Something of a companion that has a name."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    companion = models.ForeignKey(Companion, on_delete=models.CASCADE, related_name="+", db_index=False)
    name = models.CharField(max_length=64)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True
        constraints = [models.UniqueConstraint(fields=["companion", "name"], name="%(class)s_name_once")]

    def __str__(self) -> str:
        return self.name


class Tool(Named):
    """An external endpoint that a companion's agents may call. `spec`: see workspace.gateway.tools."""

    spec = models.JSONField()


class ToolSecret(Named):
    """A value that the gateway fills in where a tool's spec names it. Encrypted, and never shown."""

    encrypted = models.BinaryField()
