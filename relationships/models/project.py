from django.db import models

from relationships.ids import uuid7


class Project(models.Model):
    """The tenant: a companion developer's own space. Its configuration is the cascade's second lowest level."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(max_length=200)
    config = models.JSONField(default=dict, blank=True)
    # The daily (UTC) model budget, set by whoever runs the service. null: the settings', if they have one.
    daily_tokens = models.PositiveBigIntegerField(null=True)
    daily_usd = models.DecimalField(max_digits=12, decimal_places=4, null=True)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name
