from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned


class HotContextVersion(RelationshipOwned):
    """One version of memory/hot_context.md on main. Append-only; the newest is also in the snapshot."""

    version = models.PositiveIntegerField()
    content = models.TextField(blank=True)
    tokens = models.PositiveIntegerField()  # estimated
    commit_id = models.UUIDField()
    session_id = models.UUIDField(null=True)  # the session that wrote it
    actor_kind = models.CharField(max_length=20)
    actor_id = models.CharField(max_length=200, blank=True)
    recorded_at = models.DateTimeField(auto_now_add=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["relationship", "version"], name="%(class)s_version_once")
        ]
