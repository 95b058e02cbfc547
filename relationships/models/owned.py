from typing import Any, Self
from uuid import UUID

from django.db import models

from relationships.ids import uuid7
from relationships.models.relationship import Relationship
from worker.models.queued import QueuedQuerySet


class OwnedQuerySet(models.QuerySet[Any]):
    """Every query of an owned table names its relationship: it is the shard."""

    def for_relationship(self, relationship_id: UUID) -> Self:
        return self.filter(relationship_id=relationship_id)


class QueuedOwnedQuerySet(QueuedQuerySet, OwnedQuerySet):  # type: ignore[override]  # as_manager, which none overrides
    """Of rows that a relationship owns."""


class RelationshipOwned(models.Model):
    """What belongs to exactly one relationship.

    The primary key is (relationship_id, id), every unique constraint begins with relationship_id, the only foreign
    key of a model goes to Relationship, and references among a relationship's own rows are plain UUID columns. Where a
    row can't outlive another, a migration adds (relationship_id, x_id) with ON DELETE CASCADE. So the schema can be
    distributed by relationship_id. Rows are written by INSERT and by `QuerySet.update`, never by a bare
    `save()` of a loaded row, which would write the key. Erasure finds its tables as the subclasses of this class.
    """

    pk = models.CompositePrimaryKey("relationship_id", "id")
    relationship = models.ForeignKey(
        Relationship, on_delete=models.DO_NOTHING, related_name="+", db_index=False
    )
    id = models.UUIDField(default=uuid7, editable=False)
    project_id = models.UUIDField()

    class Meta:
        abstract = True
