"""Brings entries back as they were before a plan changed them."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from memory.entries.history import change_entries, changed, fields_of
from memory.models import EntryRevision, EntryState, MendingPlan, RevisionEvent, ScratchpadEntry
from web.actor import Actor


def restore_entries(plan: MendingPlan, versions: Mapping[UUID, int], by: Actor, now: datetime) -> None:
    """Those that are still at the version that the plan left; one whose text or key another has by now stays."""
    owned = ScratchpadEntry.objects.for_relationship(plan.relationship_id)
    revisions = EntryRevision.objects.for_relationship(plan.relationship_id)
    changes = []
    for entry in owned.filter(id__in=list(versions)).order_by("id"):
        revision = (
            revisions.filter(entry_id=entry.id, entry_version=versions[entry.id]).exclude(before=None).first()
        )
        if entry.version != versions[entry.id] or revision is None:
            continue
        before, was = fields_of(entry), revision.before
        active = was["state"] == EntryState.ACTIVE
        digest = bytes.fromhex(was["content_hash"])
        others = owned.active().exclude(id=entry.id).filter(subject=entry.subject)
        if active and others.filter(type=entry.type, content_hash=digest).exists():
            continue
        if active and entry.single_valued and others.filter(key=entry.key, single_valued=True).exists():
            continue
        entry.state, entry.content, entry.content_hash = was["state"], was["content"], digest
        entry.effective_at = datetime.fromisoformat(was["effective_at"])
        event = RevisionEvent.RESTORE if before["state"] == EntryState.DELETED else RevisionEvent.UPDATE
        changes.append(changed(entry, before, event, at=now, reason="the plan was undone"))
    owner = {"relationship_id": plan.relationship_id, "project_id": plan.project_id}
    change_entries(**owner, changes=changes, by=by, now=now, stood_before=True)
