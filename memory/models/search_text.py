from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q

from relationships.models import QueuedOwnedQuerySet, RelationshipOwned
from worker.models import QueuedRow


class SearchedKind(models.TextChoices):
    ENTRY = "entry"
    MESSAGE = "message"


class SearchText(QueuedRow, RelationshipOwned):
    """One entry or message as search sees it: its stems, and what else a ranking needs.

    Written in the transaction of the entry's or message's own change, so that it can be found at once by its text. It
    is also the queue of texts to be embedded: `due_at` says since when.
    """

    kind = models.CharField(max_length=10, choices=SearchedKind.choices)
    owner_id = models.UUIDField()
    place = models.BigIntegerField(default=0)  # a message's seq: its place in the conversation; entries: 0
    session = models.CharField(max_length=200, blank=True)  # of a message
    role = models.CharField(max_length=10, blank=True)  # of a message
    speaker = models.CharField(max_length=200, blank=True)  # a message's speaker, an entry's subject
    # of an entry; of a message `skipped`, where it was told off the record
    state = models.CharField(max_length=12, default="active")
    told_at = models.DateTimeField()  # a message's occurred_at, an entry's effective_at
    language = models.CharField(max_length=20)  # the text search configuration that made the lexemes
    lexemes = SearchVectorField()
    length = models.PositiveIntegerField()  # number of positions of all lexemes: the text's length for BM25
    text_hash = models.BinaryField(max_length=32)  # SHA-256 of the text; a vector with another hash is stale

    objects = QueuedOwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["relationship", "kind", "owner_id"], name="searchtext_once"),
            models.CheckConstraint(condition=Q(kind__in=SearchedKind.values), name="searchtext_known_kind"),
        ]
        indexes = [
            # rankings read all of one kind, messages in order
            models.Index(fields=["relationship", "kind", "place"], name="searchtext_ranked"),
            # what is to be embedded of one relationship: asked with each turn, however much the others owe
            models.Index(
                fields=["relationship", "due_at"],
                condition=Q(due_at__isnull=False),
                name="searchtext_owed_by_one",
            ),
            # the sweep and the metrics: what is to be embedded, oldest first
            models.Index(
                fields=["due_at", "relationship"],
                condition=Q(due_at__isnull=False),
                name="searchtext_owed",
            ),
            # the sweep: what is due of each project by itself
            models.Index(
                fields=["project_id", "due_at", "relationship"],
                condition=Q(due_at__isnull=False),
                name="searchtext_owed_in_project",
            ),
            # the sweep: what somebody holds
            models.Index(
                fields=["lease_until"], condition=Q(lease_token__isnull=False), name="searchtext_leased"
            ),
        ]
