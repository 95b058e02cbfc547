"""Expire entries that are past `expires_at`."""

from datetime import datetime
from functools import partial
from operator import itemgetter
from uuid import UUID

from django.db import transaction

from memory.entries.history import change_entries, changed
from memory.models import EntryState, RevisionEvent, ScratchpadEntry
from relationships.services.sequence import lock_relationship
from web.actor import Actor
from worker.failures import each_alone

BY_EXPIRY = Actor.policy("expiry")


def expire_entries(now: datetime, *, limit: int = 200) -> int:
    """Expire what is past `expires_at`, in at most `limit` relationships; return how many entries.

    Reads don't depend on this, as the snapshot has each entry's own times.
    """
    owing = (
        ScratchpadEntry.objects.past_expiry(now)
        .order_by("relationship_id")
        .values_list("relationship_id", "project_id")
        .distinct()[:limit]
    )
    return each_alone(list(owing), partial(_expire, now), of=itemgetter(0))


@transaction.atomic
def _expire(now: datetime, owner: tuple[UUID, UUID]) -> int:
    relationship_id, project_id = owner
    if not lock_relationship(relationship_id):
        return 0
    changes = []
    for entry in ScratchpadEntry.objects.for_relationship(relationship_id).past_expiry(now):
        at, expired = entry.expires_at or now, EntryState.EXPIRED
        changes.append(changed(entry, RevisionEvent.EXPIRE, at=at, reason="past expires_at", state=expired))
    change_entries(
        relationship_id=relationship_id, project_id=project_id, changes=changes, by=BY_EXPIRY, now=now
    )
    return len(changes)
