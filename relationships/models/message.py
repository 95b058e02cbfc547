from django.db import models

from relationships.models.owned import OwnedQuerySet, RelationshipOwned


class MessageRole(models.TextChoices):
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Message(RelationshipOwned):
    """One utterance. Append-only: what was said is not edited, only hidden or erased."""

    turn_id = models.UUIDField()
    seq = models.BigIntegerField()
    session = models.CharField(max_length=200)
    role = models.CharField(max_length=10, choices=MessageRole.choices)
    speaker = models.CharField(max_length=200, blank=True)  # a name, where it differs from the person's own
    content = models.TextField()
    # The developer's own; and of a reply made with an Idempotency-Key, how it ended (chat.idempotency).
    metadata = models.JSONField(default=dict)
    occurred_at = models.DateTimeField()
    recorded_at = models.DateTimeField(auto_now_add=True)
    erased_at = models.DateTimeField(null=True)
    # When it was hidden, if it is: the only column that may change (relationships.services.hiding).
    hidden_at = models.DateTimeField(null=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            # also serves "the last n messages"
            models.UniqueConstraint(fields=["relationship", "seq"], name="%(class)s_seq_once"),
            models.CheckConstraint(
                condition=models.Q(role__in=MessageRole.values), name="%(class)s_known_role"
            ),
            models.CheckConstraint(
                condition=models.Q(erased_at=None) | models.Q(content="", metadata={}),
                name="%(class)s_erased_is_empty",
            ),
        ]
        indexes = [
            models.Index(fields=["relationship", "turn_id", "seq"], name="message_of_turn"),
            # the last n messages of one session
            models.Index(fields=["relationship", "session", "-seq"], name="message_of_session"),
            # the few that are hidden
            models.Index(
                fields=["relationship", "turn_id"],
                condition=models.Q(hidden_at__isnull=False),
                name="message_hidden",
            ),
        ]
