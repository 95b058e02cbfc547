from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned

MAIN = "main"


class Branch(RelationshipOwned):
    """Where a line of changes has come to: `main`, or `session/<id>` of an agent's session."""

    name = models.CharField(max_length=120)
    commit_id = models.UUIDField()
    tree_id = models.UUIDField()  # of that commit
    updated_at = models.DateTimeField()

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["relationship", "name"], name="%(class)s_name_once")]
