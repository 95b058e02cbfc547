import unicodedata
from uuid import UUID

from django.db import models
from django.db.models import Value
from django.db.models.functions import Coalesce, Lower, NullIf

from relationships.ids import uuid7
from relationships.models.project import Project


def called(path: str = "") -> Lower:
    """The expression that lists of people are sorted by. `path` leads from the query's rows to the person."""
    return Lower(Coalesce(NullIf(f"{path}display_name", Value("")), f"{path}external_id"))


def shows_something(text: str) -> bool:
    """Whether a reader sees any of it: not of spaces, and of signs that only direct or join."""
    return any(unicodedata.category(sign)[0] in "LNPS" for sign in text)


class EndUserQuerySet(models.QuerySet["EndUser"]):
    def of_project(self, project_id: UUID) -> "EndUserQuerySet":
        return self.filter(project_id=project_id)


class EndUser(models.Model):
    """The person. Known by the developer's own `external_id`; called `user` in the API."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    project = models.ForeignKey(  # without an index of its own: another begins with it
        Project, on_delete=models.CASCADE, related_name="end_users", db_index=False
    )
    external_id = models.CharField(max_length=200)
    display_name = models.CharField(max_length=200, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    # While paused, turns are stored and marked skipped; nothing is learnt from them.
    ingestion_paused = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = EndUserQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "external_id"], name="%(class)s_external_id_once")
        ]
        indexes = [
            # a project's people by name
            models.Index("project", called(), name="person_by_name"),
        ]

    def __str__(self) -> str:
        return self.display_name if shows_something(self.display_name) else self.external_id
