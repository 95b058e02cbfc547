from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned


class SearchSegment(RelationshipOwned):
    """The search index of 128 consecutive messages of a conversation, packed into one row.

    `packed` has what a ranking needs of each message, without those off the record. `lexemes` has the words of all,
    each with positions of (place within the segment) x 128 + how often it occurs there. Written in the transaction of
    a change of its SearchText rows, from them alone (memory/retrieval/index/segments.py); places without a segment are
    read from those rows.
    """

    number = models.BigIntegerField()  # place / 128
    languages = ArrayField(models.CharField(max_length=20))  # of the rows it was made of
    names = models.JSONField()  # speakers, or roles, with their numbers in `who`
    packed = models.BinaryField()  # 49 bytes a message: statements.PACKED_MESSAGE
    lexemes = SearchVectorField()

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["relationship", "number"], name="searchsegment_once"),
        ]
