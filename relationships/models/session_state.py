from typing import Self

from django.db import models

from relationships.models.owned import OwnedQuerySet, RelationshipOwned

DEFAULT_SESSION = "current"


class SessionStateQuerySet(OwnedQuerySet):
    def open(self) -> Self:
        return self.filter(ended_at=None)


class SessionState(RelationshipOwned):
    """A session, named by the developer, with its temporary JSON. Ending it clears the JSON."""

    session = models.CharField(max_length=200, default=DEFAULT_SESSION)
    state = models.JSONField(default=dict)
    version = models.PositiveIntegerField(default=1)
    turns = models.BigIntegerField(default=0, db_default=0)  # received, in whatever state
    started_at = models.DateTimeField(auto_now_add=True)
    last_active_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    # When the configuration's idle timeout ends it; null: it has none.
    idle_at = models.DateTimeField(null=True)

    objects = SessionStateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["relationship", "session"], name="%(class)s_once"),
            models.CheckConstraint(
                condition=models.Q(ended_at=None) | models.Q(state={}), name="%(class)s_ended_is_empty"
            ),
        ]
        indexes = [
            # the sweep: open sessions whose idle timeout has passed
            models.Index(fields=["idle_at"], condition=models.Q(ended_at=None), name="session_idle"),
            # events: the sessions of one relationship that ended after a time
            models.Index(
                fields=["relationship", "ended_at"],
                condition=models.Q(ended_at__isnull=False),
                name="session_ended",
            ),
        ]
