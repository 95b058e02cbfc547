from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned


class HeldChange(RelationshipOwned):
    """What a merge left to a person: a file of which both sides are kept, or an agent's change of the profile."""

    CONFLICT, PROFILE = "conflict", "profile"
    OPEN, ACCEPTED, DECLINED = "open", "accepted", "declined"

    session_id = models.UUIDField()
    kind = models.CharField(max_length=10)
    path = models.CharField(max_length=1024)
    kept_as = models.CharField(max_length=1100, blank=True)  # where the session's version is
    proposal = models.JSONField(null=True)  # the proposed profile
    base_version = models.PositiveIntegerField(null=True)  # version of the profile that it changes
    state = models.CharField(max_length=10, default=OPEN)
    decided_by = models.CharField(max_length=240, blank=True)
    decided_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["relationship"], condition=models.Q(state="open"), name="heldchange_open")
        ]
