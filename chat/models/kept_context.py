from django.contrib.postgres.fields import ArrayField
from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned


class KeptContext(RelationshipOwned):
    """What the companion was shown before a reply, by reference: no text of it is copied here.

    `layers`: name, tokens, milliseconds, reason and sources of each; of messages that were shortened, how many of
    their last characters were shown (`ends`). `entries`: the version of each entry, by its ID.
    """

    turn_id = models.UUIDField()  # that the reply is of
    assembled_at = models.DateTimeField()
    recorded_at = models.DateTimeField(auto_now_add=True)
    total_tokens = models.PositiveIntegerField()
    layers = models.JSONField(default=list)
    entries = models.JSONField(default=dict)
    source_ids = ArrayField(
        models.UUIDField(), default=list
    )  # entries, messages and chunks, as erasure looks for them
    provider = models.CharField(max_length=60)
    model = models.CharField(max_length=200)
    finish_reason = models.CharField(max_length=60, blank=True)  # empty: the reply broke off
    prompt_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    milliseconds = models.FloatField()

    objects = OwnedQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["relationship", "turn_id"], name="context_of_turn")]
