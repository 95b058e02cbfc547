"""Apply each kind of operation to the state. No database here; apply.py writes the changes."""

from dataclasses import replace

from memory.entries.fingerprint import content_hash
from memory.entries.happens import moved_to
from memory.entries.uniqueness import of_either
from memory.ingestion.apply_state import ApplyState
from memory.ingestion.entry_values import (
    changes_nothing,
    cited_ids,
    ended_at_of,
    new_entry,
    new_values,
    subject_of,
    take_place_of,
)
from memory.ingestion.operations import Operation
from memory.ingestion.text_similarity import share_said
from memory.ingestion.unsupported import begins_with_another
from memory.models import EntryState, RevisionEvent, ScratchpadEntry, Verdict

CHANGED_MEANWHILE = "the entry was changed while the model answered; the later text stands"
FORGOTTEN = "was deleted after the turn this rests on"
SAME = "says exactly what is known already"
KNOWN = "says what is known already"
NEWER = "the entry is newer than the turn this rests on"


def carry_out(state: ApplyState, operation: Operation) -> None:
    """Carry out one operation, or refuse it with a reason. Deletions to be held are sorted out before."""
    if operation.entry is None:
        {"add": _add, "none": _skip}[operation.op](state, operation)
        return
    entry = state.target(operation)
    if entry is None:
        named = None if operation.op == "known" else state.given.entries[operation.entry - 1].id
        state.add_result(operation, Verdict.REFUSED, CHANGED_MEANWHILE, named)
    elif operation.op == "known":
        state.leave_as_it_is(operation, entry, operation.reason or KNOWN)
    elif entry.effective_at > state.said_at(operation):
        state.add_result(operation, Verdict.REFUSED, NEWER, entry.id)
    else:
        {"update": _update, "delete": _delete, "replace": _replace}[operation.op](state, operation, entry)


def _add(state: ApplyState, operation: Operation) -> None:
    subject, digest = subject_of(operation), content_hash(operation.content)
    if (same := state.taken.saying(subject, digest)) is not None:
        state.leave_as_it_is(operation, same, SAME)
        return
    if state.is_forgotten(operation, subject, digest):
        state.add_result(operation, Verdict.REFUSED, FORGOTTEN)
        return
    operation = _with_its_own_key(state, operation, subject)
    single = _is_single_valued(state, operation)
    held = state.taken.holding(subject, operation.key) if single else None
    if state.is_full and held is None:
        limit = state.given.ingestion.max_entries
        reason = f"the relationship holds {limit} entries, as many as it may"
        state.add_result(operation, Verdict.REFUSED, reason)
        return
    if held is not None and not _gives_way(state, operation, held):
        return
    entry = new_entry(state.given, operation, subject, now=state.now)
    entry.single_valued = single
    if held is not None:
        take_place_of(held, entry)
    state.take_in(operation, entry, reason=operation.reason)


def _is_single_valued(state: ApplyState, operation: Operation) -> bool:
    """Return whether a new value of the operation's key supersedes the old one, by strategy or configuration."""
    if operation.single_valued is not None:
        return operation.single_valued and operation.key is not None
    return operation.key in state.given.ingestion.single_valued


def _with_its_own_key(state: ApplyState, operation: Operation, subject: str) -> Operation:
    """Drop a single-valued key that a model gave at random, as it would supersede an entry: if the text begins with
    another's name, or the entry that holds the key is of another type and says nothing of what the text says but the
    key. Not for strategies that ask for keys.
    """
    if operation.single_valued is not None or not _is_single_valued(state, operation):
        return operation
    held = state.taken.holding(subject, operation.key)
    own = (state.given.user_name, operation.key or "")
    if name := begins_with_another(operation.content, subject, state.given):
        remark = f"begins with {name}; kept without the key {operation.key}"
    elif held is None or operation.type == held.type or share_said(held.content, operation.content, own=own):
        return operation
    else:
        remark = (
            f"the {operation.key} is held by entry {held.id}, which is about something else; kept without it"
        )
    return replace(operation, key=None, remarks=(*operation.remarks, remark))


def _update(state: ApplyState, operation: Operation, entry: ScratchpadEntry) -> None:
    values = new_values(state.given, operation, entry)
    same = state.taken.saying(values["subject"], content_hash(operation.content))
    if same is not None and same.id != entry.id:
        _merge(state, operation, entry, same)
        return
    if changes_nothing(entry, values):
        state.leave_as_it_is(operation, entry, SAME)
        return
    held = state.taken.holding(values["subject"], entry.key) if entry.single_valued else None
    if held is None or held is entry or _gives_way(state, operation, held):
        state.rewrite(operation, entry, values)


def _delete(state: ApplyState, operation: Operation, entry: ScratchpadEntry) -> None:
    # The message that asked for it is cited, too, so that it isn't shown to the model again; a correction is.
    cited = entry.citing(() if operation.untrue else cited_ids(state.given, operation))
    gone = {"state": EntryState.DELETED, "source_message_ids": cited}
    state.end(operation, entry, RevisionEvent.DELETE, operation.reason, **gone)
    state.add_result(operation, Verdict.APPLIED, entry_id=entry.id)


def _replace(state: ApplyState, operation: Operation, entry: ScratchpadEntry) -> None:
    """What the entry says has ended: supersede it with a new entry that has the new text."""
    subject, digest = subject_of(operation, entry), content_hash(operation.content)
    same = state.taken.saying(subject, digest)
    if same is not None and same.id == entry.id:
        state.leave_as_it_is(operation, entry, SAME)
        return
    if same is not None:
        _merge(state, operation, entry, same)
        return
    if state.is_forgotten(operation, subject, digest):
        state.add_result(operation, Verdict.REFUSED, FORGOTTEN, entry.id)
        return
    if not operation.happens_at and "happens_at" not in operation.cleared:
        date = moved_to(entry.happens_at, old=entry.content, new=operation.content, ended=True)
        operation = replace(operation, happens_at=date)
    successor = new_entry(state.given, operation, subject, now=state.now)
    successor.type, successor.tier = operation.type or entry.type, entry.tier
    successor.single_valued = entry.single_valued
    successor.key = entry.key if entry.single_valued else (operation.key or entry.key)
    ended_at = ended_at_of(state.given, operation, entry)
    state.supersede(operation, entry, f"entry {successor.id} is in its place", valid_to=ended_at)
    state.take_in(operation, successor, reason=f"in place of entry {entry.id}")


def _skip(state: ApplyState, operation: Operation) -> None:
    """Store as superseded what is very similar to a known entry, so that a person can restore it."""
    subject, digest = subject_of(operation), content_hash(operation.content)
    if (known := state.taken.saying(subject, digest)) is not None:
        state.leave_as_it_is(operation, known, SAME)
        return
    entry = state.taken.saying(subject, digest, state=EntryState.SUPERSEDED)
    is_new = entry is None
    if entry is None:
        entry = new_entry(state.given, operation, subject, now=state.now)
        entry.state, entry.valid_to = EntryState.SUPERSEDED, state.said_at(operation)
        state.added.append(entry)
        state.taken.add(entry)
    state.leave_as_it_is(operation, entry, operation.reason, is_new=is_new)


def _merge(state: ApplyState, operation: Operation, entry: ScratchpadEntry, same: ScratchpadEntry) -> None:
    """An operation would make an entry equal to another one: keep that one, with the citations of both, so that they
    are found and forgotten with it; one that is read-only as it is.
    """
    ends = None if "expires_at" in operation.cleared else operation.expires_at or entry.expires_at
    date = None if "happens_at" in operation.cleared else operation.happens_at or entry.happens_at
    values = of_either(same, entry, happens_at=date, expires_at=ends)
    values["source_message_ids"] = same.citing(
        [*entry.source_message_ids, *cited_ids(state.given, operation)]
    )
    if not operation.messages:
        values["effective_at"] = max(same.effective_at, entry.effective_at)
    if not same.read_only and any(getattr(same, name) != value for name, value in values.items()):
        state.change(operation, same, RevisionEvent.UPDATE, f"entry {entry.id} says the same now", **values)
    reason = f"now says the same as entry {same.id}"
    state.supersede(operation, entry, reason, RevisionEvent.MERGE)
    state.add_result(operation, Verdict.APPLIED, reason, entry.id)


def _gives_way(state: ApplyState, operation: Operation, held: ScratchpadEntry) -> bool:
    """Supersede the entry that holds the single-valued key of the operation. False: that is not allowed, and the
    refusal was added to the results.
    """
    keeper = state.touched.get(held.id, operation.strategy)
    refusal = ""
    if held.effective_at > state.said_at(operation):
        refusal = f"a newer {held.key} is known"
    elif keeper != operation.strategy:
        refusal = f"{keeper} keeps the {held.key} of this turn already"
    elif held.read_only:
        refusal = f"the entry that holds {held.key} is read-only"
    if refusal:
        state.add_result(operation, Verdict.REFUSED, refusal, held.id)
    else:
        state.supersede(operation, held, f"{held.key} has a new value")
    return not refusal
