"""Writes hot context for a person, who knows it by version and not as a file."""

from django.db import transaction

from relationships.models import Relationship
from relationships.services.rows import check_version, require_lock
from web.actor import Actor
from workspace.files import change_files
from workspace.hot_context import PATH, read_hot_context


@transaction.atomic
def write_hot_context(
    *, relationship: Relationship, content: str, by: Actor, expected_version: int | None = None
) -> int:
    """Write hot context. Returns its version. Raises StaleVersion, HotContextTooLong, NotFound."""
    require_lock(relationship.id)
    _, version = read_hot_context(relationship.id)
    check_version(expected=expected_version, current=version)
    change_files(relationship=relationship, changes={PATH: content.encode()}, by=by)
    return read_hot_context(relationship.id)[1]
