from django.db import models

from relationships.ids import uuid7


class AuditEvent(models.Model):
    """Who changed a configuration, key, prompt, profile or membership. Append-only (enforced by a trigger).

    It contains nothing that a person said: for a profile only the version, whose data is in ProfileRevision.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    project_id = models.UUIDField()
    action = models.CharField(max_length=60)
    target_kind = models.CharField(max_length=40)
    target_id = models.UUIDField(null=True)
    actor_kind = models.CharField(max_length=20)
    actor_id = models.CharField(max_length=200, blank=True)
    detail = models.JSONField(default=dict)
    recorded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            # a project's audit trail, newest first
            models.Index(fields=["project_id", "-recorded_at", "-id"], name="audit_by_project"),
        ]

    def __str__(self) -> str:
        return f"{self.action} by {self.actor_kind} {self.actor_id}"
