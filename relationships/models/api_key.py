from django.contrib.postgres.fields import ArrayField
from django.db import models

from relationships.ids import uuid7
from relationships.models.project import Project


class Scope(models.TextChoices):
    """What a key may do. Each includes the ones before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class ApiKey(models.Model):
    """A developer's bearer key. Only its SHA-256 is kept: it is random enough that a slow hash adds nothing."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=200)
    prefix = models.CharField(max_length=24, unique=True)
    key_hash = models.BinaryField(max_length=32)
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope.choices))
    # The key's own limits by name, as written in the settings, which apply to the rest.
    rate_limits = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(scopes__contained_by=Scope.values) & ~models.Q(scopes=[]),
                name="%(class)s_known_scopes",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"
