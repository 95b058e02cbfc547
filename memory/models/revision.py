from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned
from web.actor import ActorKind


class RevisionEvent(models.TextChoices):
    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"
    NONE = "none"  # seen, judged and left as it was
    RESTORE = "restore"
    EXPIRE = "expire"
    SUPERSEDE = "supersede"
    ARCHIVE = "archive"
    MERGE = "merge"
    REDACT = "redact"


class EntryRevision(RelationshipOwned):
    """One change of one entry, with all fields before and after. Append-only; it outlives the entry."""

    entry_id = models.UUIDField()
    entry_version = models.PositiveIntegerField()
    seq = models.BigIntegerField()
    event = models.CharField(max_length=10, choices=RevisionEvent.choices)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    actor_kind = models.CharField(max_length=10, choices=ActorKind.choices)
    actor_id = models.CharField(max_length=200, blank=True)
    turn_id = models.UUIDField(null=True)
    model_call_id = models.UUIDField(null=True)
    prompt_version = models.PositiveIntegerField(null=True)
    model = models.CharField(max_length=120, blank=True)
    reason = models.TextField(blank=True)
    recorded_at = models.DateTimeField()
    effective_at = models.DateTimeField()
    redacted_at = models.DateTimeField(null=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["relationship", "seq"], name="revision_seq_once"),
            models.CheckConstraint(
                condition=models.Q(event__in=RevisionEvent.values), name="revision_known_event"
            ),
            models.CheckConstraint(
                condition=models.Q(actor_kind__in=ActorKind.values), name="revision_known_actor"
            ),
            models.CheckConstraint(
                condition=models.Q(redacted_at=None)
                | models.Q(before__isnull=True, after__isnull=True, reason=""),
                name="revision_redacted_is_empty",
            ),
        ]
        indexes = [
            # a project's changes of a period, counted
            models.Index(
                fields=["project_id", "recorded_at"],
                include=["event", "effective_at"],
                name="revision_of_project",
            ),
            # one entry's story
            models.Index(fields=["relationship", "entry_id", "seq"], name="revision_of_entry"),
            # what one turn changed
            models.Index(fields=["relationship", "turn_id", "seq"], name="revision_of_turn"),
        ]
