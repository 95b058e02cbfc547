from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned


class Checkpoint(RelationshipOwned):
    """A commit that somebody may want to go back to. `taken_at` is also the moment to restore memory to."""

    name = models.CharField(max_length=200)
    commit_id = models.UUIDField()
    session_id = models.UUIDField(null=True)
    actor_kind = models.CharField(max_length=20)
    actor_id = models.CharField(max_length=200, blank=True)
    taken_at = models.DateTimeField()

    objects = OwnedQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["relationship", "-taken_at"], name="checkpoint_newest")]
