from django.contrib.postgres.fields import ArrayField
from django.db import models

from relationships.models.owned import OwnedQuerySet, RelationshipOwned


class RelationshipToken(RelationshipOwned):
    """A short-lived bearer token for this relationship only, to read or write: for the person's own browser, or for
    an agent's session (`session_id`), which it may only write as."""

    token_hash = models.BinaryField(max_length=32)
    scopes = ArrayField(models.CharField(max_length=10))
    session_id = models.UUIDField(null=True)
    # Of the API key that made it: it is revoked with it, and its requests count for both. "" if an operator did.
    key_prefix = models.CharField(max_length=24, default="", db_default="")
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
        indexes = [models.Index(fields=["expires_at"], name="token_expiry")]  # deleting expired tokens
