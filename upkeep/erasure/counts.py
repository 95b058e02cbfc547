"""Count what an erasure did, and record it in the audit trail."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from uuid import UUID

from django.db.models import Model

from relationships.services.audit import record_audit
from web.actor import Actor

Counts = Counter[str]  # how many rows of each table were deleted or emptied


def table_name(model: type[Model]) -> str:
    """A table's name in answers and in the audit trail, such as `scratchpad_entry`."""
    return _underscored(model.__name__)


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


def files_of(redacted: Mapping[str, int]) -> Counts:
    """The counts of an agent's workspace, by table."""
    return Counts({_underscored(name): count for name, count in redacted.items()})


def _underscored(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
