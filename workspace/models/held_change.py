from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned


class HeldChange(RelationshipOwned):
    """What a merge could not decide: both sides of a file are kept, or an agent's change of the profile waits."""

    CONFLICT, PROFILE = "conflict", "profile"
    OPEN, ACCEPTED, DECLINED = "open", "accepted", "declined"

    session_id = models.UUIDField()
    kind = models.CharField(max_length=10)
    path = models.CharField(max_length=1024)
    kept_as = models.CharField(max_length=1100, blank=True)  # where the session's side is
    proposal = models.JSONField(null=True)  # of a profile
    base_version = models.PositiveIntegerField(null=True)  # of the profile it was made from
    state = models.CharField(max_length=10, default=OPEN)
    decided_by = models.CharField(max_length=240, blank=True)
    decided_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["relationship"], condition=models.Q(state="open"), name="heldchange_open")
        ]
