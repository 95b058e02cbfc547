"""Takes and restores checkpoints. Restoring deletes nothing: it adds a commit, and a revision of each changed entry."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memory.entries.history import FIELDS, Change, change_entries, changed, fields_of, with_values
from memory.entries.time_travel import entry_of, revisions_at
from memory.mending.forgotten import Forgotten
from memory.models import EntryRevision, EntryState, RevisionEvent, ScratchpadEntry
from relationships.models import Relationship
from relationships.same_json import same_json
from relationships.services.rows import require, require_lock
from web.actor import Actor
from web.errors import NotFound
from workspace.deleted_entries import withhold_again
from workspace.files import commit_on, open_workspace
from workspace.generated import made_elsewhere
from workspace.history import head_at
from workspace.models import MAIN, Checkpoint
from workspace.store import Head, read_commit
from workspace.trees import Draft, key_of

_KEPT = {"id", "version", "read_only"}  # fields of an entry that a restore leaves alone


@dataclass(frozen=True, slots=True)
class Restored:
    """`commit`: where main is now. `entries`: how many entries were restored."""

    commit: str
    entries: int


@transaction.atomic
def take_checkpoint(
    *, relationship: Relationship, name: str, by: Actor, branch: str = MAIN, session_id: UUID | None = None
) -> Checkpoint:
    """Take a checkpoint of a branch as it is now. Raises NotFound."""
    require_lock(relationship.id)
    head = open_workspace(relationship) if branch == MAIN else head_at(relationship, branch)
    made: Checkpoint = Checkpoint.objects.create(
        **relationship.owner,
        name=name,
        commit_id=key_of(head.commit),
        session_id=session_id,
        actor_kind=by.kind,
        actor_id=by.id,
        taken_at=timezone.now(),
    )
    return made


@transaction.atomic
def restore_checkpoint(
    *, relationship: Relationship, checkpoint_id: UUID, by: Actor, memory: bool = False
) -> Restored:
    """Restore main's files and hot context, without what entries deleted since said; with `memory`, restore the
    entries too. Raises NotFound, Conflict.
    """
    require_lock(relationship.id)
    checkpoint = require(
        Checkpoint.objects.for_relationship(relationship.id).filter(id=checkpoint_id), "checkpoint"
    )
    past = read_commit(relationship.id, checkpoint.commit_id)
    if past is None:
        raise NotFound("This checkpoint's commit no longer exists.")

    def restored(head: Head) -> tuple[Draft, str]:
        made = {path: entry for path, entry in head.files.items() if made_elsewhere(path)}
        written = {path: entry for path, entry in past.files.items() if not made_elsewhere(path)}
        return Draft(written | made), f"Restore {checkpoint.name}"

    committed = commit_on(relationship, MAIN, restored, by=by)
    entries = restore_entries(relationship, at=checkpoint.taken_at, by=by) if memory else 0
    withhold_again(relationship)
    return Restored(committed.commit, entries)


def restore_entries(relationship: Relationship, *, at: datetime, by: Actor) -> int:
    """Restore the entries to what they were at that moment, in one batch of revisions with one reason. Each can be
    undone like any other. Those that are read-only stay as they are. Call inside a transaction, under the row lock.
    Returns how many entries changed.
    """
    now, forgotten = timezone.now(), Forgotten.of(relationship.id)
    since = EntryRevision.objects.for_relationship(relationship.id).filter(recorded_at__gt=at)
    others = since.values("entry_id")  # entries without a later revision need no look
    revisions = revisions_at(relationship_id=relationship.id, as_of=None, known_at=at, now=now)
    was = {
        revision.entry_id: entry_of(revision.after, relationship.id, relationship.project_id)
        for revision in revisions.filter(entry_id__in=others)
    }
    changes: list[Change] = []
    changeable = ScratchpadEntry.objects.for_relationship(relationship.id).filter(read_only=False)
    for entry in changeable.filter(id__in=others):
        past = was.get(entry.id)
        if past is not None and forgotten.in_revision(entry.id, past.version):
            continue  # what somebody asked to forget must not come back
        if past is None:
            if entry.state != EntryState.ACTIVE:
                continue
            event, there = RevisionEvent.DELETE, with_values(entry, {"state": EntryState.DELETED})
        else:
            event, there = RevisionEvent.RESTORE, past
        values: dict[str, Any] = {name: getattr(there, name) for name in FIELDS if name not in _KEPT}
        new = with_values(entry, values)
        if not same_json(fields_of(new), fields_of(entry)):
            reason = f"restored to {at.isoformat()}"
            changes.append(changed(entry, event, at=new.effective_at, reason=reason, **values))
    change_entries(**relationship.owner, changes=changes, by=by, now=now, stood_before=True)
    return len(changes)
