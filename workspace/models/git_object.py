from django.contrib.postgres.fields import ArrayField
from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned

MAIN = "main"


class Blob(RelationshipOwned):
    """A file's content, stored once per relationship. The ID is the first half of its SHA-256."""

    size = models.PositiveIntegerField()
    content = models.BinaryField()

    objects = OwnedQuerySet.as_manager()


class Tree(RelationshipOwned):
    """All files at one moment, flat: {path: [SHA-256, git's SHA-1, size, mode]}. The ID is the beginning of `sha`."""

    sha = models.CharField(max_length=40)
    files = models.JSONField()

    objects = OwnedQuerySet.as_manager()


class Commit(RelationshipOwned):
    """A git commit. `raw`: git's object, whose SHA-1 is `sha`. The ID is the beginning of `sha`."""

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


class Branch(RelationshipOwned):
    """A branch: `main`, or `session/<id>` of an agent's session."""

    name = models.CharField(max_length=120)
    commit_id = models.UUIDField()
    tree_id = models.UUIDField()  # that commit's tree
    updated_at = models.DateTimeField()

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["relationship", "name"], name="%(class)s_name_once")]


class Checkpoint(RelationshipOwned):
    """A commit that somebody may want to go back to. `taken_at` is also the moment to restore memory to."""

    name = models.CharField(max_length=200)
    commit_id = models.UUIDField()
    session_id = models.UUIDField(null=True)
    actor_kind = models.CharField(max_length=20)
    actor_id = models.CharField(max_length=200, blank=True)
    taken_at = models.DateTimeField()

    objects = OwnedQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["relationship", "-taken_at"], name="checkpoint_newest")]
