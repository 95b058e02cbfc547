from django.db import models
from django.db.models import Q
from pgvector.django import HalfVectorField

from memory.models.search_text import SearchedKind
from relationships.models import OwnedQuerySet, RelationshipOwned


class Embedding(RelationshipOwned):
    """The vector of one entry's or message's text in one model's space. Several models live side by side.

    A query is compared only with vectors of its own (model, dimensions). The column has no fixed dimension, so there
    is no index over all of it; a search reads a relationship's own rows.
    """

    kind = models.CharField(max_length=10, choices=SearchedKind.choices)
    owner_id = models.UUIDField()
    model = models.CharField(max_length=120)  # names the space: vectors of equal model and dimensions compare
    dimensions = models.PositiveIntegerField()
    vector = HalfVectorField()  # unit length
    text_hash = models.BinaryField(max_length=32)  # of the text that was embedded, as in SearchText
    recorded_at = models.DateTimeField(auto_now_add=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            # also serves the exact search: one relationship, kind and space
            models.UniqueConstraint(
                fields=["relationship", "kind", "model", "dimensions", "owner_id"], name="embedding_once"
            ),
            models.CheckConstraint(condition=Q(kind__in=SearchedKind.values), name="embedding_known_kind"),
            models.CheckConstraint(condition=Q(dimensions__gte=1), name="embedding_has_dimensions"),
        ]
