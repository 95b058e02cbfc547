"""Stores a person's version of a summary. The next summary extends it, and contexts show it while it is the newest."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from relationships.ids import uuid7
from relationships.models import Relationship
from relationships.services.audit import audit_row
from relationships.services.limits import message_fault
from relationships.services.rows import require, require_lock
from summaries.models import Summary, SummaryState
from summaries.snapshot import rebuild_summary
from web.actor import Actor
from web.errors import Conflict, InvalidInput


def get_summary(relationship_id: UUID, summary_id: UUID) -> Summary:
    """Raises NotFound."""
    found: Summary = require(
        Summary.objects.for_relationship(relationship_id).filter(id=summary_id), "summary"
    )
    return found


@transaction.atomic
def edit_summary(*, relationship: Relationship, summary_id: UUID, text: str, by: Actor) -> Summary:
    """Write the next version for the same messages. Raises NotFound, InvalidInput, and Conflict if a
    newer one exists.
    """
    require_lock(relationship.id)
    summary = get_summary(relationship.id, summary_id)
    if fault := message_fault(text):
        raise InvalidInput.of("text", fault)
    rows = Summary.objects.for_relationship(relationship.id).filter(messages=summary.messages)
    newest = rows.order_by("-version")[0]
    if newest.id != summary.id or summary.state != SummaryState.READY:
        raise Conflict(f"Version {newest.version} of this summary is {newest.state}: read it, and edit that.")
    edited = Summary(
        **summary.place,
        id=uuid7(),
        version=summary.version + 1,
        state=SummaryState.READY,
        text=text.strip(),
        extends=summary.id,
        actor_kind=by.kind,
        actor_id=by.id,
        made_at=timezone.now(),
    )
    edited.save(force_insert=True)
    rebuild_summary(**relationship.owner)
    audit_row(relationship, "summary.edited", by, summary=str(edited.id), version=edited.version)
    return edited
