from django.db import models

from relationships.models.owned import OwnedQuerySet, RelationshipOwned


class IdempotencyKey(RelationshipOwned):
    """A key that was used, what it made, and a fingerprint of the request. It keeps no answer.

    The same call again is answered from what it made, so there is no copy of anybody's words to forget about.
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
        indexes = [models.Index(fields=["created_at"], name="idempotency_age")]  # the sweep drops the old
