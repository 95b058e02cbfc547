from django.contrib.postgres.fields import ArrayField
from django.db import models

from relationships.models.owned import OwnedQuerySet, RelationshipOwned


class RelationshipToken(RelationshipOwned):
    """A short-lived bearer token of this relationship only, read or write: for a person's own browser, or for an
    agent's session (`session_id`), which writes as that session alone."""

    token_hash = models.BinaryField(max_length=32)
    scopes = ArrayField(models.CharField(max_length=10))
    session_id = models.UUIDField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(scopes__contained_by=["read", "write"]) & ~models.Q(scopes=[]),
                name="%(class)s_known_scopes",
            )
        ]
        indexes = [models.Index(fields=["expires_at"], name="token_expiry")]  # the sweep drops the old
