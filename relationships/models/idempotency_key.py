from django.db import models

from relationships.models.owned import OwnedQuerySet, RelationshipOwned


class IdempotencyKey(RelationshipOwned):
    """A key that was used, the ID of what was created with it, and a hash of the request.

    The answer is not stored: a repeated call is answered from what was created. So there is no copy of a person's
    words to forget about.
    """

    route = models.CharField(max_length=40)
    key_hash = models.BinaryField(max_length=32)
    request_hash = models.BinaryField(max_length=32)
    resource_id = models.UUIDField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["relationship", "route", "key_hash"], name="%(class)s_once")
        ]
        indexes = [models.Index(fields=["created_at"], name="idempotency_age")]  # deleting old keys
