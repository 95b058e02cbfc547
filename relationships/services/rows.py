"""What every service asks of the row that it is about to change."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from relationships.errors import NotFound, StaleVersion
from relationships.services.sequence import lock_relationship


def require(rows: "QuerySet[Any]", what: str) -> Any:
    """The row there is; `what` it should be, such as "user". Raises NotFound."""
    found = rows.first()
    if found is None:
        raise NotFound(f"This {what} is not there.")
    return found


def require_lock(relationship_id: UUID) -> None:
    """Hold the relationship's row until the transaction ends. Raises NotFound."""
    if not lock_relationship(relationship_id):
        raise NotFound("This relationship is not there.")


def check_version(*, expected: int | None, current: int) -> None:
    """What two people may edit carries a version; whoever bases a change on an older one is told.

    Call it under the row's lock. None: no matter which. Raises StaleVersion.
    """
    if expected is not None and expected != current:
        raise StaleVersion(
            f"This is version {current} now, not {expected}: read it again.", current_version=current
        )
