"""Count what an erasure did, and record it in the audit trail."""

from collections import Counter
from collections.abc import Collection
from uuid import UUID

from django.db.models import Model
from django.utils.text import camel_case_to_spaces

from relationships.services.audit import record_audit
from web.actor import Actor

Counts = Counter[str]  # how many rows of each table were deleted or emptied


def table_name(model: type[Model]) -> str:
    """A table's name in answers and in the audit trail, such as `scratchpad_entry`."""
    return camel_case_to_spaces(model.__name__).replace(" ", "_")


def tell(
    *,
    project_id: UUID,
    level: str,
    target_id: UUID,
    by: Actor,
    counts: Counts,
    action: str = "",
    messages: Collection[UUID] = (),
) -> Counts:
    """Write the AuditEvent, in the erasing transaction. Return the counts, without zeros.

    `messages`: the IDs that were named in the request.
    """
    erased = Counts({table: count for table, count in sorted(counts.items()) if count})
    named = {"messages": sorted(map(str, messages))} if messages else {}
    record_audit(
        project_id=project_id,
        action=action or f"{level}.erased",
        target_kind=level,
        target_id=target_id,
        by=by,
        detail={"erased": erased, **named},
    )
    return erased
