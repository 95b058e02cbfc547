from django.contrib.postgres.fields import ArrayField
from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned


class ModelCall(RelationshipOwned):
    """One call of a model: the exact prompt, the raw answer, time and tokens. Append-only.

    `shown_entry_ids` and `shown_message_ids` are in the order of the numbers the model saw, so that a trace can be
    understood and everything that quotes an erased entry can be found.
    """

    purpose = models.CharField(max_length=20)  # ingestion, repair, left out, ask_again, summary, behaviour
    turn_ids = ArrayField(models.UUIDField())
    provider = models.CharField(max_length=60)
    model = models.CharField(max_length=120, blank=True)
    prompt_version = models.PositiveIntegerField(null=True)
    system = models.TextField(blank=True)
    prompt = models.TextField()
    answer = models.TextField(blank=True)
    shown_entry_ids = ArrayField(models.UUIDField(), default=list)
    shown_message_ids = ArrayField(models.UUIDField(), default=list)  # the new ones, which may be cited
    reference_message_ids = ArrayField(models.UUIDField(), default=list)
    prompt_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True)  # USD
    milliseconds = models.FloatField()
    error_code = models.CharField(max_length=60, blank=True)
    error = models.TextField(blank=True)
    recorded_at = models.DateTimeField(auto_now_add=True)
    redacted_at = models.DateTimeField(null=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(redacted_at=None) | models.Q(system="", prompt="", answer="", error=""),
                name="model_call_redacted_is_empty",
            )
        ]
        indexes = [
            models.Index(fields=["relationship", "-recorded_at"], name="model_call_recent"),
            # what a project's calls of a period cost, by companion
            models.Index(
                fields=["project_id", "recorded_at"],
                include=["relationship", "error_code", "prompt_tokens", "output_tokens", "cost"],
                name="model_call_of_project",
            ),
        ]
