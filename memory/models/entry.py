from collections.abc import Iterable
from datetime import datetime
from typing import Self
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import models
from django.db.models import Q

from memory.aliases import SAYS_ALIAS
from memory.models.folding import DigitsFromTheEnd, Folded, PlainDigits
from relationships.models import OwnedQuerySet, RelationshipOwned

USER_SUBJECT = "user"
MAX_HAPPENS_AT = 80  # characters
# What operators search for words: without punctuation, which PostgreSQL's parser would read as addresses or signs.
ENTRY_WORDS = SearchVector(
    models.Func(
        Folded("content"),
        models.Value("_~-.,:/@+'’"),
        models.Value(" " * 11),
        function="translate",
        output_field=models.TextField(),
    ),
    DigitsFromTheEnd(PlainDigits("content")),
    config="simple",
)
# Columns that count how often an entry is shown (memory.entries.access). That is no change, so in no revision.
ACCESS_FIELDS = frozenset({"last_accessed_at", "access_count"})


class EntryState(models.TextChoices):
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    DELETED = "deleted"


class Tier(models.TextChoices):
    SCRATCHPAD = "scratchpad"
    ARCHIVE = "archive"


class EntrySource(models.TextChoices):
    TURN = "turn"
    MANUAL = "manual"
    IMPORT = "import"
    API = "api"


class EntryQuerySet(OwnedQuerySet):
    def active(self) -> Self:
        return self.filter(state=EntryState.ACTIVE)

    def in_scratchpad(self) -> Self:
        return self.filter(tier=Tier.SCRATCHPAD)

    def newest_first(self) -> Self:
        return self.order_by("-effective_at", "-id")

    def past_expiry(self, now: datetime) -> Self:
        return self.active().filter(expires_at__lte=now)


class ScratchpadEntry(RelationshipOwned):
    """One remembered thing. Every change of it leaves an EntryRevision in the same transaction."""

    type = models.CharField(max_length=60)
    tier = models.CharField(max_length=12, choices=Tier.choices, default=Tier.SCRATCHPAD)
    state = models.CharField(max_length=12, choices=EntryState.choices, default=EntryState.ACTIVE)
    subject = models.CharField(max_length=200, default=USER_SUBJECT)  # whom it is about
    content = models.TextField()
    content_hash = models.BinaryField(max_length=32)  # memory.entries.fingerprint
    key = models.CharField(max_length=80, null=True)  # stable name, such as city
    single_valued = models.BooleanField(default=False)  # whether `key` has one value: city yes, pet no
    importance = models.FloatField(default=0.5)
    confidence = models.FloatField(default=1.0)
    weight = models.FloatField(default=1.0)  # the developer's or person's own
    pinned = models.BooleanField(default=False)
    read_only = models.BooleanField(default=False)
    tags = models.JSONField(default=dict)  # up to 12 name=value pairs
    category = models.CharField(max_length=60, blank=True)  # the developer's own, beside the type
    metadata = models.JSONField(default=dict)
    modality = models.CharField(max_length=20, default="text")
    source = models.CharField(max_length=10, choices=EntrySource.choices)
    source_message_ids = ArrayField(models.UUIDField(), default=list)  # citations
    recorded_at = models.DateTimeField()
    effective_at = models.DateTimeField()  # when what it says now was said
    happens_at = models.CharField(
        max_length=MAX_HAPPENS_AT, null=True
    )  # as it was said: memory.entries.happens
    valid_from = models.DateTimeField(null=True)
    valid_to = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    last_accessed_at = models.DateTimeField(null=True)
    access_count = models.PositiveIntegerField(default=0)
    version = models.PositiveIntegerField(default=1)

    objects = EntryQuerySet.as_manager()

    class Meta:
        constraints = [
            # the same statement is stored once, even if written at the same time
            models.UniqueConstraint(
                fields=["relationship", "subject", "type", "content_hash"],
                condition=Q(state="active"),
                name="entry_active_once",
            ),
            models.UniqueConstraint(
                fields=["relationship", "subject", "key"],
                condition=Q(state="active", single_valued=True),
                name="entry_single_value_once",
            ),
            models.CheckConstraint(condition=Q(state__in=EntryState.values), name="entry_known_state"),
            models.CheckConstraint(condition=Q(tier__in=Tier.values), name="entry_known_tier"),
            models.CheckConstraint(condition=Q(source__in=EntrySource.values), name="entry_known_source"),
            models.CheckConstraint(
                condition=Q(importance__gte=0, importance__lte=1), name="entry_importance_0_1"
            ),
            models.CheckConstraint(
                condition=Q(confidence__gte=0, confidence__lte=1), name="entry_confidence_0_1"
            ),
            models.CheckConstraint(condition=Q(weight__gte=0), name="entry_weight_positive"),
            models.CheckConstraint(condition=~Q(content=""), name="entry_says_something"),
            models.CheckConstraint(
                condition=Q(single_valued=False) | Q(key__isnull=False), name="entry_single_has_key"
            ),
        ]
        indexes = [
            # the scratchpad, and every list, newest first
            models.Index(fields=["relationship", "state", "tier", "-effective_at"], name="entry_listed"),
            # lists by tag: the few of a relationship that have it
            GinIndex(
                fields=["tags"], opclasses=["jsonb_path_ops"], condition=~Q(tags={}), name="entry_tagged"
            ),
            # lists by category
            models.Index(
                fields=["relationship", "category", "-effective_at"],
                condition=~Q(category=""),
                name="entry_categorised",
            ),
            # a project's entries by type, counted
            models.Index(fields=["project_id", "type"], condition=Q(state="active"), name="entry_by_type"),
            # operators who look for a word across a project
            GinIndex(ENTRY_WORDS, condition=Q(state="active"), name="entry_words"),
            # entries that may say that two names are one person's
            models.Index(
                fields=["relationship", "-effective_at"],
                condition=Q(state="active", content__regex=SAYS_ALIAS),
                name="entry_aliases",
            ),
            # expiry: active entries whose time is over
            models.Index(
                fields=["expires_at"],
                condition=Q(state="active", expires_at__isnull=False),
                name="entry_expiry",
            ),
        ]

    def citing(self, messages: Iterable[UUID]) -> list[UUID]:
        """The messages that it cites and these, each once."""
        return list(dict.fromkeys([*self.source_message_ids, *messages]))
