from django.contrib.postgres.fields import ArrayField
from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned


class Blob(RelationshipOwned):
    """A file's content, once in a relationship however many files hold it. Its ID is the first half of its SHA-256."""

    size = models.PositiveIntegerField()
    content = models.BinaryField()

    objects = OwnedQuerySet.as_manager()


class Tree(RelationshipOwned):
    """All files at one moment, flat: {path: [SHA-256, git's SHA-1, size, mode]}. Its ID begins git's SHA-1."""

    sha = models.CharField(max_length=40)
    files = models.JSONField()

    objects = OwnedQuerySet.as_manager()


class Commit(RelationshipOwned):
    """A change of the files, as git has it: `raw` is the object its SHA-1 is of. Its ID begins that SHA-1."""

    sha = models.CharField(max_length=40)
    tree_id = models.UUIDField()
    parents = ArrayField(models.UUIDField(), default=list)
    raw = models.BinaryField()
    author = models.CharField(max_length=300)
    message = models.TextField()
    recorded_at = models.DateTimeField()

    objects = OwnedQuerySet.as_manager()

    class Meta:
        # the log, newest first
        indexes = [models.Index(fields=["relationship", "-recorded_at"], name="commit_newest")]
