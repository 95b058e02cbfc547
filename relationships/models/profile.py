from django.db import models

from relationships.models.owned import OwnedQuerySet, RelationshipOwned


class Profile(RelationshipOwned):
    """The developer's own structured JSON about the person: one row per relationship."""

    data = models.JSONField(default=dict)
    version = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(auto_now=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["relationship"], name="%(class)s_one_each")]


class ProfileRevision(RelationshipOwned):
    """What the profile said at each version. Append-only."""

    version = models.PositiveIntegerField()
    data = models.JSONField()
    actor_kind = models.CharField(max_length=20)
    actor_id = models.CharField(max_length=200, blank=True)
    recorded_at = models.DateTimeField(auto_now_add=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["relationship", "version"], name="%(class)s_version_once")
        ]
