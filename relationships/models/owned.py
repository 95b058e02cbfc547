from typing import Any, Self
from uuid import UUID

from django.db import models

from relationships.ids import uuid7
from relationships.models.relationship import Relationship
from worker.models.queued import QueuedQuerySet


class OwnedQuerySet(models.QuerySet[Any]):
    """The queries of an owned table. Each must name the relationship, which is the shard."""

    def for_relationship(self, relationship_id: UUID) -> Self:
        return self.filter(relationship_id=relationship_id)


class QueuedOwnedQuerySet(QueuedQuerySet, OwnedQuerySet):  # type: ignore[override]  # as_manager, which none overrides
    """The queries of a queue whose rows belong to relationships."""


class RelationshipOwned(models.Model):
    """A row that belongs to exactly one relationship, so that tables can be distributed by relationship_id.

    The primary key is (relationship_id, id), and every unique constraint begins with relationship_id. A model's only
    foreign key is to Relationship; references between rows of one relationship are plain UUID columns. Where a row
    can't outlive another, a migration adds a foreign key (relationship_id, x_id) with ON DELETE CASCADE. Rows are
    written by INSERT and `QuerySet.update`, never by a bare `save()` of a loaded row, which would write the key.
    Erasure finds its tables as the subclasses of this class.
    """

    pk = models.CompositePrimaryKey("relationship_id", "id")
    relationship = models.ForeignKey(
        Relationship, on_delete=models.DO_NOTHING, related_name="+", db_index=False
    )
    id = models.UUIDField(default=uuid7, editable=False)
    project_id = models.UUIDField()

    class Meta:
        abstract = True

    @property
    def owner(self) -> dict[str, Any]:
        """The columns that say whose row it is, for other rows of the same relationship."""
        return {"relationship_id": self.relationship_id, "project_id": self.project_id}
