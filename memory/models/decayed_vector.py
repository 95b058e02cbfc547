from django.db import models
from django.db.models import Q
from pgvector.django import VectorField

from relationships.models import OwnedQuerySet, RelationshipOwned


class DecayedVector(RelationshipOwned):
    """An entry's unit vector times its weight, `importance x 2^((effective_at - reference) / half-life)`.

    So one inner product with a question orders by similarity x importance x decay, at any time. Relationships with many
    entries have them if their ranker is `decay`. All of one space share a half-life and a reference. Each row has the
    values it was made from. Triggers mark it stale in the transaction that changes one of them, or writes a new vector:
    a stale one is not used, and its entry is scored from its own row.
    """

    owner_id = models.UUIDField()  # the entry
    model = models.CharField(max_length=120)
    dimensions = models.PositiveIntegerField()
    half_life_days = models.FloatField()
    reference = models.DateTimeField()  # at this time a weight is the importance itself
    stale = models.BooleanField(default=True)
    vector = VectorField(null=True)  # float4; null until it is first made
    importance = models.FloatField(null=True)
    effective_at = models.DateTimeField(null=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["relationship", "model", "dimensions", "owner_id"], name="decayedvector_once"
            ),
            models.CheckConstraint(
                condition=Q(stale=True) | Q(vector__isnull=False), name="decayedvector_fresh_is_made"
            ),
        ]
        indexes = [
            # stale ones, which searches score from the entries' rows, and which are to be renewed
            models.Index(
                fields=["relationship", "owner_id"], condition=Q(stale=True), name="decayedvector_stale"
            )
        ]
