from django.conf import settings
from django.db import models

from relationships.ids import uuid7
from relationships.models.project import Project


class Role(models.TextChoices):
    VIEWER = "viewer"
    EDITOR = "editor"
    OWNER = "owner"


class Membership(models.Model):
    """Which operator sees which project, and what they may do there; nothing until they accept the invitation."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    operator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)
    invited_at = models.DateTimeField(
        null=True
    )  # the newest invitation's, which is not accepted yet; null: a member

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["operator", "project"], name="%(class)s_one_role_each"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="%(class)s_known_role"),
        ]

    def __str__(self) -> str:
        return f"{self.operator_id} {self.role} of {self.project_id}"
