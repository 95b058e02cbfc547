"""Restore entries to their state before a plan changed them."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from memory.entries.history import change_entries, changed, fields_of
from memory.models import EntryRevision, EntryState, MendingPlan, RevisionEvent, ScratchpadEntry
from web.actor import Actor


def restore_entries(plan: MendingPlan, versions: Mapping[UUID, int], by: Actor, now: datetime) -> None:
    """Restore the entries that still have the version the plan left, unless another has their text or key by now."""
    owned = ScratchpadEntry.objects.for_relationship(plan.relationship_id)
    left = _as_left(plan.relationship_id, versions)
    digests = [
        bytes.fromhex(revision.before["content_hash"]) for revision in left.values() if revision.before
    ]
    said = owned.active().filter(content_hash__in=digests)
    others_say = {
        (type, subject, bytes(digest)): entry_id
        for type, subject, digest, entry_id in said.values_list("type", "subject", "content_hash", "id")
    }
    changes = []
    for entry in owned.filter(id__in=list(versions)).order_by("id"):
        revision = left.get(entry.id)
        if entry.version != versions[entry.id] or revision is None or revision.before is None:
            continue
        before, was = fields_of(entry), revision.before
        active = was["state"] == EntryState.ACTIVE
        digest = bytes.fromhex(was["content_hash"])
        if active and others_say.get((entry.type, entry.subject, digest), entry.id) != entry.id:
            continue
        others = owned.active().exclude(id=entry.id).filter(subject=entry.subject)
        if active and entry.single_valued and others.filter(key=entry.key, single_valued=True).exists():
            continue
        entry.state, entry.content, entry.content_hash = was["state"], was["content"], digest
        entry.effective_at = datetime.fromisoformat(was["effective_at"])
        event = RevisionEvent.RESTORE if before["state"] == EntryState.DELETED else RevisionEvent.UPDATE
        changes.append(changed(entry, before, event, at=now, reason="the plan was undone"))
    owner = {"relationship_id": plan.relationship_id, "project_id": plan.project_id}
    change_entries(**owner, changes=changes, by=by, now=now, stood_before=True)


def _as_left(relationship_id: UUID, versions: Mapping[UUID, int]) -> dict[UUID, EntryRevision]:
    """By entry ID, the revision that made the version which the plan left."""
    revisions = EntryRevision.objects.for_relationship(relationship_id).exclude(before=None)
    rows = revisions.filter(entry_id__in=list(versions), entry_version__in=set(versions.values()))
    return {row.entry_id: row for row in rows.order_by("-id") if row.entry_version == versions[row.entry_id]}
