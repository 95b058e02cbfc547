"""Helpers for services: find, lock, check and save the row that is changed."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from relationships.configuration.merge_patch import merge_patch
from relationships.same_json import same_json
from relationships.services.audit import audit_row
from relationships.services.configuration import check_level
from relationships.services.sequence import lock_relationship
from web.actor import Actor
from web.errors import NotFound, StaleVersion


def require(rows: "QuerySet[Any]", what: str) -> Any:
    """Return the first row. `what` is its name in the error, such as "user". Raises NotFound."""
    found = rows.first()
    if found is None:
        raise NotFound(f"This {what} does not exist.")
    return found


def require_lock(relationship_id: UUID) -> None:
    """Hold the relationship's row until the transaction ends. Raises NotFound."""
    if not lock_relationship(relationship_id):
        raise NotFound("This relationship does not exist.")


def check_version(*, expected: int | None, current: int) -> None:
    """Refuse a change that is based on an older version of what two people may edit.

    Call it under the row's lock. `expected` None: any version. Raises StaleVersion.
    """
    if expected is not None and expected != current:
        raise StaleVersion(
            f"This is version {current} now, not {expected}: read it again.", current_version=current
        )


def change_row(
    row: Any,
    what: str,
    changes: Mapping[str, Any],
    *,
    fields: Sequence[str],
    by: Actor,
    expected_version: int | None,
    merge: bool = True,
) -> None:
    """Write those of `changes` that are among `fields` into a locked row, if they change it.

    With `merge`, `config` and `metadata` are merged into the present values (RFC 7396). Anything else replaces them.
    Raises StaleVersion, InvalidConfiguration.
    """
    check_version(expected=expected_version, current=row.version)
    before = {name: getattr(row, name) for name in fields}
    for name in [name for name in fields if name in changes]:
        merges = merge and name in ("config", "metadata")
        setattr(row, name, merge_patch(getattr(row, name), changes[name]) if merges else changes[name])
    if "config" in changes:
        check_level(row.config)
    changed = sorted(name for name, value in before.items() if not same_json(value, getattr(row, name)))
    if changed:
        save_version(row, what, fields=fields, changed=changed, by=by)


def save_version(row: Any, what: str, *, fields: Sequence[str], changed: Sequence[str], by: Actor) -> None:
    """Save `fields` as the row's next version, and record which of them `changed` in the audit trail."""
    row.version += 1
    touched = ["updated_at"] if hasattr(row, "updated_at") else []
    row.save(update_fields=[*fields, "version", *touched])
    audit_row(row, f"{what}.changed", by, fields=changed, version=row.version)
