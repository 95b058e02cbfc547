from uuid import UUID

from django.db import models

from relationships.ids import uuid7
from relationships.models.project import Project


class CompanionQuerySet(models.QuerySet["Companion"]):
    def of_project(self, project_id: UUID) -> "CompanionQuerySet":
        return self.filter(project_id=project_id)


class Companion(models.Model):
    """The AI persona: its level of the configuration, and which version of its ingestion prompt is published."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="companions")
    slug = models.CharField(max_length=80)
    name = models.CharField(max_length=200)
    config = models.JSONField(default=dict, blank=True)
    # null: the default prompt that ships with Rapport
    prompt_version = models.PositiveIntegerField(null=True)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = CompanionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "slug"], name="%(class)s_slug_once")]

    def __str__(self) -> str:
        return self.name
