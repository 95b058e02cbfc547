from django.contrib.postgres.fields import ArrayField
from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned


class KeptContext(RelationshipOwned):
    """What the companion was shown for a reply, by reference: no text is copied.

    `layers`: name, tokens, milliseconds, reason and sources of each. For shortened messages, `ends` is the number of
    their last characters that were shown. `entries`: the version of each entry, by ID.
    """

    turn_id = models.UUIDField()  # the reply's turn
    assembled_at = models.DateTimeField()
    recorded_at = models.DateTimeField(auto_now_add=True)
    total_tokens = models.PositiveIntegerField()
    layers = models.JSONField(default=list)
    entries = models.JSONField(default=dict)
    # Entries, messages and chunks, by which erasure finds the row.
    source_ids = ArrayField(models.UUIDField(), default=list)
    provider = models.CharField(max_length=60)
    model = models.CharField(max_length=200)
    finish_reason = models.CharField(max_length=60, blank=True)  # empty: the reply was interrupted
    prompt_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    milliseconds = models.FloatField()

    objects = OwnedQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["relationship", "turn_id"], name="context_of_turn")]
