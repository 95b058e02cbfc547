from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned


class SearchSegment(RelationshipOwned):
    """The search index of 128 consecutive messages of a conversation, packed into one row.

    `packed` has of each message what a ranking asks of it; what was told off the record is not there. `lexemes` has
    the words of all: at each, positions of (place within the segment) x 128 + how often it stands there.
    Written in the transaction of a change of its SearchText rows (memory/retrieval/index/segments.py), from them alone:
    a place that no segment holds is read from those.
    """

    number = models.BigIntegerField()  # place / 128
    languages = ArrayField(models.CharField(max_length=20))  # of the rows it was made of
    names = models.JSONField()  # who speaks, or in which role: the number that stands in `who`
    packed = models.BinaryField()  # 49 bytes a message: statements.PACKED_MESSAGE
    lexemes = SearchVectorField()

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["relationship", "number"], name="searchsegment_once"),
        ]
