from django.db import models
from django.db.models import Q
from pgvector.django import VectorField

from relationships.models import OwnedQuerySet, RelationshipOwned


class DecayFold(RelationshipOwned):
    """An entry's unit vector times its weight, `importance x 2^((effective_at - reference) / half-life)`.

    So one inner product with a question orders by similarity x importance x decay, whatever the time. Only large
    relationships whose ranker is `decay` have folds. Each keeps what it was made from. A trigger marks it stale in
    the transaction that changes any of that, or that writes a new vector: a stale fold never ranks, its entry is
    scored from its own row.
    """

    owner_id = models.UUIDField()  # the entry
    model = models.CharField(max_length=120)
    dimensions = models.PositiveIntegerField()
    stale = models.BooleanField(default=True)
    vector = VectorField(null=True)  # float4; null until it is first folded
    importance = models.FloatField(null=True)
    effective_at = models.DateTimeField(null=True)
    half_life_days = models.FloatField(null=True)
    reference = models.DateTimeField(null=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["relationship", "model", "dimensions", "owner_id"], name="decayfold_once"
            ),
            models.CheckConstraint(
                condition=Q(stale=True) | Q(vector__isnull=False), name="decayfold_fresh_is_folded"
            ),
        ]
        indexes = [
            # what a search scores from the rows themselves, and what is to be folded
            models.Index(fields=["relationship", "owner_id"], condition=Q(stale=True), name="decayfold_stale")
        ]
