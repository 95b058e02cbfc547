from django.db import models
from django.db.models import Q
from pgvector.django import VectorField

from memory.models.search_text import SearchedKind
from relationships.models import OwnedQuerySet, RelationshipOwned


class IndexPurpose(models.TextChoices):
    NEAREST = "nearest"  # HNSW over the embeddings, by cosine
    DECAY = "decay"  # HNSW over the fold, by inner product
    TEXT = "text"  # GIN over the lexemes


class IndexState(models.TextChoices):
    WANTED = "wanted"  # to be made, or made anew; searches are exact meanwhile
    READY = "ready"
    FAILED = "failed"  # to be tried again when it is due


class LargeIndex(RelationshipOwned):
    """An index of its own that a large relationship has for one kind and space: the row says what is owed.

    The database's catalogue says what is there, and `memory.retrieval.large.upkeep` makes the two agree.
    """

    kind = models.CharField(max_length=10, choices=SearchedKind.choices)
    purpose = models.CharField(max_length=10, choices=IndexPurpose.choices)
    model = models.CharField(max_length=120, blank=True)  # blank for text
    dimensions = models.PositiveIntegerField(default=0)  # 0 for text
    state = models.CharField(max_length=10, choices=IndexState.choices, default=IndexState.WANTED)
    rows = models.PositiveIntegerField(default=0)  # when they were last counted
    mean_length = models.FloatField(default=0.0)  # for text: of all texts
    mean = VectorField(null=True)  # for nearest: its inner product with a question is the mean cosine of all
    half_life_days = models.FloatField(null=True)  # of the fold
    reference = models.DateTimeField(null=True)  # of the fold: at this time a weight is the importance itself
    due_at = models.DateTimeField(null=True)  # null: nothing is owed
    attempts = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=60, blank=True)  # class of the last failure
    built_at = models.DateTimeField(null=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["relationship", "kind", "purpose", "model", "dimensions"], name="largeindex_once"
            ),
            models.CheckConstraint(condition=Q(kind__in=SearchedKind.values), name="largeindex_known_kind"),
            models.CheckConstraint(
                condition=Q(purpose__in=IndexPurpose.values), name="largeindex_known_purpose"
            ),
            models.CheckConstraint(condition=Q(state__in=IndexState.values), name="largeindex_known_state"),
        ]
        indexes = [
            # the upkeep: what is owed, longest due first
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="largeindex_owed")
        ]
