from django.db import models
from django.db.models import Q
from pgvector.django import VectorField

from relationships.models import OwnedQuerySet, RelationshipOwned


class DecayedVector(RelationshipOwned):
    """An entry's unit vector times its weight, `importance x 2^((effective_at - reference) / half-life)`.

    So one inner product with a question orders by similarity x importance x decay, whatever the time. Relationships
    have them whose ranker is `decay` and whose entries are many. All of one space share a half-life and a reference.
    Each keeps what it was made from. Triggers mark it stale in the transaction that changes any of that, or that
    writes a new vector: a stale one never ranks, its entry is scored from its own row.
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
            # what a search scores from the rows themselves, and what is to be made anew
            models.Index(
                fields=["relationship", "owner_id"], condition=Q(stale=True), name="decayedvector_stale"
            )
        ]
