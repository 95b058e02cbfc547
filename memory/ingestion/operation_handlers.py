"""What each operation does to the workbench. No database here; apply.py writes it down."""

from datetime import datetime

from memory.entries.fingerprint import content_hash
from memory.entries.history import Change, Origin, fields_of
from memory.ingestion.apply_state import (
    ApplyState,
    is_single_valued,
    new_entry,
    rewrite,
    says_the_same,
    subject_of,
)
from memory.ingestion.operations import Operation
from memory.models import EntryState, RevisionEvent, ScratchpadEntry, Verdict
from relationships.ids import uuid7

CHANGED_MEANWHILE = "the entry was changed while the model answered; the later text stands"
FORGOTTEN = "was deleted after the turn this rests on"
SAME = "says exactly what is known already"
KNOWN = "says what is known already"
NEWER = "the entry is newer than the turn this rests on"


def carry_out(state: ApplyState, operation: Operation, origin: Origin) -> None:
    """Do one operation, or refuse it with a reason. Deletions that are held are judged before this."""
    verb = {"add": _add, "update": _update, "delete": delete, "replace": _replace}
    verb |= {"none": _skip, "known": _know}
    verb[operation.op](state, operation, origin)


def _add(state: ApplyState, operation: Operation, origin: Origin) -> None:
    said_at, subject = state.said_at(operation), subject_of(operation)
    fingerprint = (subject, content_hash(operation.content))
    same = state.active.get(fingerprint)
    if same is not None:
        _confirm(state, operation, same, origin)
        return
    if state.forgotten.get(fingerprint, said_at) > said_at:
        state.add_result(operation, Verdict.REFUSED, FORGOTTEN)
        return
    key, single = (subject, operation.key or ""), is_single_valued(state, operation)
    held = state.keyed.get(key) if single else None
    if state.is_full and held is None:
        limit = state.given.ingestion.max_entries
        state.add_result(
            operation, Verdict.REFUSED, f"the relationship holds {limit} entries, as many as it may"
        )
        return
    if single and not _key_is_free(state, operation, key, said_at, origin):
        return
    entry = new_entry(state, operation, subject, said_at=said_at)
    entry.single_valued = single
    entry.tier = (
        held.tier if held is not None else operation.tier
    )  # a new value stands where the old one stood
    _take_in(state, operation, entry, operation.reason, origin)


def _update(state: ApplyState, operation: Operation, origin: Origin) -> None:
    entry = state.target(operation)
    if not _may_change(state, operation, entry):
        return
    assert entry is not None
    said_at, before = state.said_at(operation), fields_of(entry)
    fingerprint = (subject_of(operation, entry), content_hash(operation.content))
    same = state.active.get(fingerprint)
    if same is not None and same.id != entry.id:
        _merge(state, operation, entry, same, origin)
        return
    if says_the_same(entry, operation, said_at):
        _confirm(state, operation, entry, origin)
        return
    key = (subject_of(operation, entry), entry.key or "")
    if entry.single_valued and not _key_is_free(state, operation, key, said_at, origin, holder=entry):
        return
    state.leave(entry)
    rewrite(state, entry, operation, said_at)
    entry.version += 1
    state.touched[entry.id] = operation.strategy
    state.active[fingerprint] = entry
    if entry.single_valued:
        state.keyed[key] = entry
    state.changes.append(
        Change(RevisionEvent.UPDATE, before, fields_of(entry), said_at, operation.reason, origin)
    )
    state.add_result(operation, Verdict.APPLIED, entry_id=entry.id)


def delete(state: ApplyState, operation: Operation, origin: Origin) -> None:
    entry = state.target(operation)
    if not _may_change(state, operation, entry):
        return
    assert entry is not None
    before, said_at = fields_of(entry), state.said_at(operation)
    entry.state = EntryState.DELETED
    entry.version += 1
    # The words that asked for it are cited too: they are not shown to the model again.
    entry.source_message_ids = list(dict.fromkeys([*entry.source_message_ids, *state.cited_ids(operation)]))
    state.leave(entry)
    state.changes.append(
        Change(RevisionEvent.DELETE, before, fields_of(entry), said_at, operation.reason, origin)
    )
    state.add_result(operation, Verdict.APPLIED, entry_id=entry.id)


def _replace(state: ApplyState, operation: Operation, origin: Origin) -> None:
    """The new fact contradicts the entry: both are kept, the old one as it held until now."""
    entry = state.target(operation)
    if not _may_change(state, operation, entry):
        return
    assert entry is not None
    said_at, subject = state.said_at(operation), subject_of(operation, entry)
    fingerprint = (subject, content_hash(operation.content))
    same = state.active.get(fingerprint)
    if same is not None and same.id == entry.id:
        _confirm(state, operation, entry, origin)
        return
    if same is not None:
        _merge(state, operation, entry, same, origin)
        return
    if state.forgotten.get(fingerprint, said_at) > said_at:
        state.add_result(operation, Verdict.REFUSED, FORGOTTEN, entry.id)
        return
    key, single = entry.key, entry.single_valued
    entry_id = uuid7()
    _supersede(state, entry, said_at, f"entry {entry_id} is in its place", origin)
    successor = new_entry(state, operation, subject, said_at=said_at)
    successor.id, successor.type, successor.tier = entry_id, operation.type or entry.type, entry.tier
    successor.key, successor.single_valued = (key, single) if single else (operation.key or key, False)
    _take_in(state, operation, successor, f"in place of entry {entry.id}", origin)


def _skip(state: ApplyState, operation: Operation, origin: Origin) -> None:
    """Not kept, as something very like it is known; kept aside all the same, so that a person can bring it back."""
    said_at, subject = state.said_at(operation), subject_of(operation)
    fingerprint = (subject, content_hash(operation.content))
    known = state.active.get(fingerprint)
    if known is not None:
        _confirm(state, operation, known, origin)
        return
    entry = state.skipped.get(fingerprint)
    before = fields_of(entry) if entry is not None else None
    if entry is None:
        entry = new_entry(state, operation, subject, said_at=said_at)
        entry.tier = operation.tier
        entry.state, entry.valid_to = EntryState.SUPERSEDED, said_at
        state.added.append(entry)
        state.skipped[fingerprint] = entry
    state.changes.append(
        Change(RevisionEvent.NONE, before, fields_of(entry), said_at, operation.reason, origin)
    )
    state.add_result(operation, Verdict.NONE, operation.reason, entry.id)


def _know(state: ApplyState, operation: Operation, origin: Origin) -> None:
    """The model says that the entry says it already."""
    entry = state.target(operation)
    if entry is None:
        state.add_result(operation, Verdict.REFUSED, CHANGED_MEANWHILE)
        return
    _confirm(state, operation, entry, origin, reason=operation.reason or KNOWN)


def _take_in(
    state: ApplyState, operation: Operation, entry: ScratchpadEntry, reason: str, origin: Origin
) -> None:
    state.added.append(entry)
    state.active[(entry.subject, bytes(entry.content_hash))] = entry
    if entry.single_valued and entry.key:
        state.keyed[(entry.subject, entry.key)] = entry
    state.touched[entry.id] = operation.strategy
    change = Change(RevisionEvent.ADD, None, fields_of(entry), entry.effective_at, reason, origin)
    state.changes.append(change)
    state.add_result(operation, Verdict.APPLIED, entry_id=entry.id)


def _may_change(state: ApplyState, operation: Operation, entry: ScratchpadEntry | None) -> bool:
    """Whether an entry that was shown may still be changed by this turn; if not, the refusal is written down."""
    assert operation.entry is not None
    shown = state.given.entries[operation.entry - 1]
    if entry is None:
        state.add_result(operation, Verdict.REFUSED, CHANGED_MEANWHILE, shown.id)
    elif entry.effective_at > state.said_at(operation):
        state.add_result(operation, Verdict.REFUSED, NEWER, entry.id)
    else:
        return True
    return False


def _confirm(
    state: ApplyState, operation: Operation, entry: ScratchpadEntry, origin: Origin, *, reason: str = SAME
) -> None:
    """Said again: nothing changes, and the history shows that it was."""
    fields = fields_of(entry)
    state.changes.append(Change(RevisionEvent.NONE, fields, fields, state.said_at(operation), reason, origin))
    state.add_result(operation, Verdict.NONE, reason, entry.id)


def _merge(
    state: ApplyState, operation: Operation, entry: ScratchpadEntry, same: ScratchpadEntry, origin: Origin
) -> None:
    """The update makes an entry say what another says: the other stays, this one steps back."""
    before = fields_of(entry)
    entry.state, entry.valid_to = EntryState.SUPERSEDED, state.said_at(operation)
    entry.version += 1
    state.leave(entry)
    reason = f"now says the same as entry {same.id}"
    state.changes.append(
        Change(RevisionEvent.MERGE, before, fields_of(entry), state.said_at(operation), reason, origin)
    )
    state.add_result(operation, Verdict.APPLIED, reason, entry.id)


def _supersede(
    state: ApplyState, entry: ScratchpadEntry, said_at: datetime, reason: str, origin: Origin
) -> None:
    before = fields_of(entry)
    entry.state, entry.valid_to = EntryState.SUPERSEDED, said_at
    entry.version += 1
    state.leave(entry)
    state.changes.append(Change(RevisionEvent.SUPERSEDE, before, fields_of(entry), said_at, reason, origin))


def _key_is_free(
    state: ApplyState,
    operation: Operation,
    key: tuple[str, str],
    said_at: datetime,
    origin: Origin,
    *,
    holder: ScratchpadEntry | None = None,
) -> bool:
    """Make room under a single-valued key, (subject, key): whoever else holds it steps back. False: it may not, and
    the refusal is written down.
    """
    held = state.keyed.get(key)
    if held is None or held is holder:
        return True
    if held.effective_at > said_at:
        state.add_result(operation, Verdict.REFUSED, f"a newer {key[1]} is known", held.id)
        return False
    keeper = state.touched.get(held.id, operation.strategy)
    if keeper != operation.strategy:
        state.add_result(
            operation, Verdict.REFUSED, f"{keeper} keeps the {key[1]} of this turn already", held.id
        )
        return False
    if held.read_only:
        state.add_result(operation, Verdict.REFUSED, f"the entry that holds {key[1]} is read-only", held.id)
        return False
    _supersede(state, held, said_at, f"{key[1]} has a new value", origin)
    return True
