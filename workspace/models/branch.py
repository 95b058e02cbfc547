from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned

MAIN = "main"


class Branch(RelationshipOwned):
    """A branch: `main`, or `session/<id>` of an agent's session."""

    name = models.CharField(max_length=120)
    commit_id = models.UUIDField()
    tree_id = models.UUIDField()  # that commit's tree
    updated_at = models.DateTimeField()

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["relationship", "name"], name="%(class)s_name_once")]
