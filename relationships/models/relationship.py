from typing import Any
from uuid import UUID

from django.db import models

from relationships.models.companion import Companion
from relationships.models.end_user import EndUser
from relationships.models.project import Project


class RelationshipQuerySet(models.QuerySet["Relationship"]):
    def of_project(self, project_id: UUID) -> "RelationshipQuerySet":
        return self.filter(project_id=project_id)


class Relationship(models.Model):
    """One end user and one companion. Everything below it is `RelationshipOwned`.

    Its ID is a UUIDv5 of the pair (`relationships.ids.relationship_id`), so that the primary key is its only unique
    constraint and the table can be distributed by it. `last_seq` numbers everything that happens in it, in commit
    order.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    project = models.ForeignKey(  # without an index of its own: another begins with it
        Project, on_delete=models.CASCADE, related_name="relationships", db_index=False
    )
    companion = models.ForeignKey(Companion, on_delete=models.CASCADE, related_name="relationships")
    user = models.ForeignKey(EndUser, on_delete=models.CASCADE, related_name="relationships")
    config = models.JSONField(default=dict, blank=True)
    timezone = models.CharField(max_length=64, default="UTC")
    # detected from the messages, by the name of PostgreSQL's text search configuration; "": not yet
    language = models.CharField(max_length=20, blank=True, default="")
    last_seq = models.BigIntegerField(default=0)
    message_count = models.BigIntegerField(default=0, db_default=0)  # including erased ones
    last_turn_at = models.DateTimeField(null=True)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = RelationshipQuerySet.as_manager()

    class Meta:
        indexes = [
            # a project's list, newest first
            models.Index(fields=["project", "-created_at", "-id"], name="relationship_by_project"),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def owner(self) -> dict[str, Any]:
        """The columns that say whose a row is, for rows of this relationship."""
        return {"relationship_id": self.id, "project_id": self.project_id}
