from django.contrib.postgres.fields import ArrayField
from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned
from web.actor import ActorKind


class ToolCall(RelationshipOwned):
    """A call of a memory tool, by a model during a reply or over REST. The result is not stored; `entry_ids` and
    `message_ids` say what was found or changed.
    """

    turn_id = models.UUIDField(null=True)  # null: not part of a reply
    name = models.CharField(max_length=60)
    arguments = models.JSONField(default=dict)
    ok = models.BooleanField()
    entry_ids = ArrayField(models.UUIDField(), default=list)
    message_ids = ArrayField(models.UUIDField(), default=list)
    actor_kind = models.CharField(max_length=12, choices=ActorKind.choices)
    actor_id = models.CharField(max_length=200, blank=True)
    milliseconds = models.FloatField()
    recorded_at = models.DateTimeField(auto_now_add=True)
    redacted_at = models.DateTimeField(null=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["relationship", "turn_id"], name="tool_call_of_turn")]
