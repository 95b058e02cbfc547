from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned


class SearchSegment(RelationshipOwned):
    """What a search reads of a stretch of a conversation, packed: of the messages of 128 places, all in one row.

    Columns of numbers in PostgreSQL's binary form, a value for each message; what was told off the record has none.
    `lexemes` has the words of all: at each, positions of (place within the segment) x 128 + how often it stands there.
    Written in the transaction of a change of its SearchText rows (memory/retrieval/index/segments.py), from them alone:
    a place that no segment holds is read from those.
    """

    number = models.BigIntegerField()  # place / 128
    languages = ArrayField(models.CharField(max_length=20))  # of the rows it was made of
    names = models.JSONField()  # who speaks, or in which role: the number that stands in `who`
    owner_ids = models.BinaryField()  # 16 bytes each; of the messages
    told = models.BinaryField()  # float8, seconds since 1970
    length = models.BinaryField()  # int4
    who = models.BinaryField()  # int4
    role = models.BinaryField()  # its first letter
    place = models.BinaryField()  # int8
    session = models.BinaryField()  # int8, a hash
    lexemes = SearchVectorField()

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["relationship", "number"], name="searchsegment_once"),
        ]
