from typing import Any, Self
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Exists, OuterRef, Q

from memory.models.held_deletion import HeldDeletion
from relationships.models import OwnedQuerySet, RelationshipOwned


class Verdict(models.TextChoices):
    APPLIED = "applied"
    NONE = "none"  # it says what is known already
    REFUSED = "refused"
    HELD = "held"  # waits for a person


class OperationKind(models.TextChoices):
    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"
    REPLACE = "replace"
    NONE = "none"
    OTHER = "other"  # whatever else a model calls it, or a strategy
    UNREADABLE = "unreadable"  # no object


class OperationResultQuerySet(OwnedQuerySet):
    def of_turn(self, turn_id: UUID | OuterRef) -> Self:
        """A turn's operations, in the order of the answer."""
        return self.filter(turn_id=turn_id).order_by("number")

    def waiting(self) -> Self:
        """Deletions that wait for a person."""
        waiting = HeldDeletion.objects.filter(
            relationship_id=OuterRef("relationship_id"), id=OuterRef("held_id")
        )
        return self.filter(Exists(waiting.waiting()), held_id__isnull=False)


class OperationResult(RelationshipOwned):
    """One operation that a model proposed for a turn, and its outcome.

    `operation` is what the model wrote. What erasure needs is in other columns: which entries it names, by number or
    otherwise, which messages it cites, and everything it says, case folded, as `text`. A foreign key of the database
    deletes it with its turn.
    """

    turn_id = models.UUIDField()
    number = models.PositiveIntegerField()  # its place among those of its turn, from 0
    kind = models.CharField(max_length=12, choices=OperationKind.choices)
    operation = models.JSONField(null=True)  # null is as odd an answer as any
    verdict = models.CharField(max_length=10, choices=Verdict.choices)
    reason = models.TextField(blank=True)  # of the verdict
    entry_id = models.UUIDField(null=True)  # what it added, changed or was compared with
    call_id = models.UUIDField(null=True)  # the call that proposed it, to which entry numbers refer
    entry_ids = ArrayField(models.UUIDField(), default=list)
    message_ids = ArrayField(models.UUIDField(), default=list)
    content_hash = models.BinaryField(max_length=32, null=True)  # of its content: memory.entries.fingerprint
    text = models.TextField(blank=True)
    erased = models.BooleanField(default=False)  # every text of it is gone
    # For a deletion that is held with others: the HeldDeletion, the version the model saw, and the model's reason.
    held_id = models.UUIDField(null=True)
    entry_version = models.PositiveIntegerField(null=True)
    held_reason = models.TextField(blank=True)

    objects = OperationResultQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["relationship", "turn_id", "number"], name="operation_place_once"
            ),
            models.CheckConstraint(condition=Q(kind__in=OperationKind.values), name="operation_known_kind"),
            models.CheckConstraint(condition=Q(verdict__in=Verdict.values), name="operation_known_verdict"),
            models.CheckConstraint(
                condition=Q(held_id=None) | Q(entry_id__isnull=False, entry_version__isnull=False),
                name="operation_held_is_of_an_entry",
            ),
            models.CheckConstraint(
                condition=Q(erased=False) | Q(reason="", text="", held_reason="", content_hash=None),
                name="operation_erased_is_empty",
            ),
        ]
        indexes = [
            # what waits for a person
            models.Index(
                fields=["relationship", "held_id"], condition=Q(held_id__isnull=False), name="operation_held"
            )
        ]

    def as_json(self) -> dict[str, Any]:
        """The result as in a turn's trace, a preview and a replay."""
        return {
            "operation": self.operation,
            "verdict": str(self.verdict),
            "reason": self.reason,
            "entry_id": str(self.entry_id) if self.entry_id else None,
            "call_id": str(self.call_id) if self.call_id else None,
        }
