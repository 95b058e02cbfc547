"""Apply each kind of operation to the state. No database here; apply.py writes the changes."""

from dataclasses import replace

from memory.entries.fingerprint import content_hash
from memory.ingestion.apply_state import ApplyState, is_single_valued
from memory.ingestion.entry_values import (
    ended_at_of,
    new_entry,
    says_the_same,
    subject_of,
    take_place_of,
)
from memory.ingestion.likeness import share_said
from memory.ingestion.operations import Operation
from memory.models import EntryState, RevisionEvent, ScratchpadEntry, Verdict
from relationships.ids import uuid7

CHANGED_MEANWHILE = "the entry was changed while the model answered; the later text stands"
FORGOTTEN = "was deleted after the turn this rests on"
SAME = "says exactly what is known already"
KNOWN = "says what is known already"
NEWER = "the entry is newer than the turn this rests on"


def carry_out(state: ApplyState, operation: Operation) -> None:
    """Carry out one operation, or refuse it with a reason. Deletions to be held are sorted out before."""
    if operation.op in ("add", "none"):
        {"add": _add, "none": _skip}[operation.op](state, operation)
        return
    entry = state.target(operation)
    if entry is None:
        named = None if operation.op == "known" else state.shown_as(operation).id
        state.add_result(operation, Verdict.REFUSED, CHANGED_MEANWHILE, named)
    elif operation.op == "known":
        state.leave_as_it_is(operation, entry, operation.reason or KNOWN)
    elif entry.effective_at > state.said_at(operation):
        state.add_result(operation, Verdict.REFUSED, NEWER, entry.id)
    else:
        {"update": _update, "delete": _delete, "replace": _replace}[operation.op](state, operation, entry)


def _add(state: ApplyState, operation: Operation) -> None:
    said_at, subject = state.said_at(operation), subject_of(operation)
    fingerprint = (subject, content_hash(operation.content))
    same = state.active.get(fingerprint)
    if same is not None:
        state.leave_as_it_is(operation, same, SAME)
        return
    if state.forgotten.get(fingerprint, said_at) > said_at:
        state.add_result(operation, Verdict.REFUSED, FORGOTTEN)
        return
    operation = _with_its_own_key(state, operation, subject)
    key, single = (subject, operation.key or ""), is_single_valued(state, operation)
    held = state.keyed.get(key) if single else None
    if state.is_full and held is None:
        limit = state.given.ingestion.max_entries
        state.add_result(
            operation, Verdict.REFUSED, f"the relationship holds {limit} entries, as many as it may"
        )
        return
    if single and not _key_is_free(state, operation, key):
        return
    entry = new_entry(state.given, operation, subject, now=state.now)
    entry.single_valued = single
    entry.tier = operation.tier
    if held is not None:
        take_place_of(held, entry)
    state.take_in(operation, entry, reason=operation.reason)


def _with_its_own_key(state: ApplyState, operation: Operation, subject: str) -> Operation:
    """Drop the operation's key if an unrelated entry of another type holds it: that entry would be superseded because
    of a key that a model gave at random. Not for strategies that ask for keys.
    """
    held = state.keyed.get((subject, operation.key or ""))
    if held is None or operation.single_valued is not None or operation.type == held.type:
        return operation
    if share_said(held.content, operation.content, own=(state.given.user_name,)):
        return operation
    remark = f"the {operation.key} is held by entry {held.id}, which is about something else; kept without it"
    return replace(operation, key=None, remarks=(*operation.remarks, remark))


def _update(state: ApplyState, operation: Operation, entry: ScratchpadEntry) -> None:
    subject = subject_of(operation, entry)
    same = state.active.get((subject, content_hash(operation.content)))
    if same is not None and same.id != entry.id:
        _merge(state, operation, entry, same)
        return
    if says_the_same(entry, operation, state.said_at(operation)):
        state.leave_as_it_is(operation, entry, SAME)
        return
    key = (subject, entry.key or "")
    if not entry.single_valued or _key_is_free(state, operation, key, holder=entry):
        state.rewrite(operation, entry)


def _delete(state: ApplyState, operation: Operation, entry: ScratchpadEntry) -> None:
    # The message that asked for it is cited, too, so that it isn't shown to the model again; a correction is.
    asked = [] if operation.untrue else state.cited_ids(operation)
    cited = list(dict.fromkeys([*entry.source_message_ids, *asked]))
    fields = {"state": EntryState.DELETED, "source_message_ids": cited}
    state.end(operation, entry, RevisionEvent.DELETE, operation.reason, **fields)
    state.add_result(operation, Verdict.APPLIED, entry_id=entry.id)


def _replace(state: ApplyState, operation: Operation, entry: ScratchpadEntry) -> None:
    """What the entry says has ended: supersede it with a new entry that has the new text."""
    said_at, subject = state.said_at(operation), subject_of(operation, entry)
    fingerprint = (subject, content_hash(operation.content))
    same = state.active.get(fingerprint)
    if same is not None and same.id == entry.id:
        state.leave_as_it_is(operation, entry, SAME)
        return
    if same is not None:
        _merge(state, operation, entry, same)
        return
    if state.forgotten.get(fingerprint, said_at) > said_at:
        state.add_result(operation, Verdict.REFUSED, FORGOTTEN, entry.id)
        return
    successor = new_entry(state.given, operation, subject, now=state.now)
    successor.id, successor.type, successor.tier = uuid7(), operation.type or entry.type, entry.tier
    successor.single_valued = entry.single_valued
    successor.key = entry.key if entry.single_valued else (operation.key or entry.key)
    ended_at = ended_at_of(state.given, operation, entry)
    state.supersede(operation, entry, f"entry {successor.id} is in its place", valid_to=ended_at)
    state.take_in(operation, successor, reason=f"in place of entry {entry.id}")


def _skip(state: ApplyState, operation: Operation) -> None:
    """Store as superseded what is very similar to a known entry, so that a person can restore it."""
    said_at, subject = state.said_at(operation), subject_of(operation)
    fingerprint = (subject, content_hash(operation.content))
    known = state.active.get(fingerprint)
    if known is not None:
        state.leave_as_it_is(operation, known, SAME)
        return
    entry = state.skipped.get(fingerprint)
    is_new = entry is None
    if entry is None:
        entry = new_entry(state.given, operation, subject, now=state.now)
        entry.tier = operation.tier
        entry.state, entry.valid_to = EntryState.SUPERSEDED, said_at
        state.added.append(entry)
        state.skipped[fingerprint] = entry
    state.leave_as_it_is(operation, entry, operation.reason, is_new=is_new)


def _merge(state: ApplyState, operation: Operation, entry: ScratchpadEntry, same: ScratchpadEntry) -> None:
    """An update would make an entry equal to another one: keep that one, with the citations of both."""
    reason = f"now says the same as entry {same.id}"
    state.rest_on_both(operation, same, entry)
    state.supersede(operation, entry, reason, RevisionEvent.MERGE)
    state.add_result(operation, Verdict.APPLIED, reason, entry.id)


def _key_is_free(
    state: ApplyState,
    operation: Operation,
    key: tuple[str, str],
    *,
    holder: ScratchpadEntry | None = None,
) -> bool:
    """Supersede the entry that has the single-valued key (subject, key). False: that is not allowed, and the refusal
    was added to the results.
    """
    held = state.keyed.get(key)
    if held is None or held is holder:
        return True
    keeper = state.touched.get(held.id, operation.strategy)
    refusal = ""
    if held.effective_at > state.said_at(operation):
        refusal = f"a newer {key[1]} is known"
    elif keeper != operation.strategy:
        refusal = f"{keeper} keeps the {key[1]} of this turn already"
    elif held.read_only:
        refusal = f"the entry that holds {key[1]} is read-only"
    if refusal:
        state.add_result(operation, Verdict.REFUSED, refusal, held.id)
    else:
        state.supersede(operation, held, f"{key[1]} has a new value")
    return not refusal
