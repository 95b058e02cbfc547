"""Reconcile an answer's operations with a request to forget, which decides about the entries that it concerns."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from memory.ingestion.apply_state import ApplyState
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.likeness import share_said
from memory.ingestion.operations import Operation, Refusal, beside
from memory.mending.heard import Heard, carry_out_heard
from memory.mending.judging import Verdict, judge
from memory.mending.wishes import read_wish
from memory.models import EntryState, MendingVerb
from memory.models import Verdict as Outcome
from web.actor import Actor

PART = "only a part of it is to be forgotten, which the plan of the wish does"
OTHER = "does not surely say what is to be forgotten"
PUT_RIGHT = "an entry is corrected to say it"
GOES = "the entry, or a part of it, is to be forgotten"
ASKED_FOR = "was asked to be forgotten in the same breath"


def leave_to_wishes(
    given: IngestionInput, items: Sequence[Operation | Refusal], heard: Sequence[Heard]
) -> list[Operation | Refusal]:
    """Remove operations that contradict a wish: deleting an entry of which a part stays, or which does not surely say
    it, and adding what should be forgotten. If an entry is forgotten, what an update of it says beyond that becomes a
    new entry.
    """
    if not heard:
        return list(items)
    return [_left(given, item, heard) for item in items]


def _left(given: IngestionInput, item: Operation | Refusal, heard: Sequence[Heard]) -> Operation | Refusal:
    if isinstance(item, Refusal):
        return item
    cited = [given.messages[number - 1].id for number in item.messages]
    for wish in heard:
        if wish.draft.verb == MendingVerb.CORRECT:
            if (
                item.op == "add"
                and wish.message.id in cited
                and wish.taken
                and _says_anew(wish, item.content)
            ):
                return Refusal(item.raw, PUT_RIGHT, item.messages, item.call_id)
            continue
        entry = given.entries[item.entry - 1] if item.entry is not None else None
        if entry is not None and wish.message.id in cited and item.op == "delete":
            if entry.id in wish.edited:
                return Refusal(item.raw, PART, item.messages, item.call_id)
            meant = wish.taken or {one.id for one in wish.draft.found if one.kind == "entry"}
            if meant and entry.id not in meant:
                return Refusal(item.raw, OTHER, item.messages, item.call_id)
        if entry is not None and item.op in ("update", "replace") and entry.id in wish.taken:
            rest = next(one.rest for one in wish.draft.ticked if one.id == entry.id)
            if rest is not None and share_said(item.content, rest) == 1:
                return Refusal(item.raw, PART, item.messages, item.call_id)
            key = item.key or (entry.key if rest is None else None)
            item = replace(beside(item, given, GOES), key=key)
        if item.op == "add" and _said_before(given, cited, wish) and _says(wish, item.content):
            return Refusal(item.raw, ASKED_FOR, item.messages, item.call_id)
    return item


def _said_before(given: IngestionInput, cited: Sequence[object], wish: Heard) -> bool:
    """Return whether all cited messages were said before the wish or with it."""
    order = [message.id for message in given.messages]
    if wish.message.id not in order:
        return False
    until = order.index(wish.message.id)
    return all(one in order[: until + 1] for one in cited)


def _says(wish: Heard, content: str) -> bool:
    asked = wish.draft.scope.wish
    return (
        bool(asked.must)
        and judge(asked, content, stems={}, owners=wish.draft.scope.owners).verdict == Verdict.SAYS
    )


def _says_anew(wish: Heard, content: str) -> bool:
    right, owners = read_wish(wish.draft.to), wish.draft.scope.owners
    return judge(right, content, stems={}, owners=owners).verdict == Verdict.SAYS


def carry_out_wishes(state: ApplyState, heard: Sequence[Heard], by: Actor) -> None:
    """Carry out the wishes. Call it in the settling transaction, after the operations."""
    if not heard:
        return
    gone = {
        result.entry_id: result.message_ids
        for result in state.results
        if result.entry_id and result.verdict == Outcome.APPLIED and _is_deleted(state, result.entry_id)
    }
    _follow_versions(state, heard)
    most = state.given.ingestion.deletion_hold.most(state.active_count)
    carry_out_heard(heard, by=by, most=most, gone=gone, now=state.now)


def _follow_versions(state: ApplyState, heard: Sequence[Heard]) -> None:
    """Follow the versions of entries that operations of the same answer changed, so that they are forgotten, too."""
    read: dict[UUID, int] = {}
    for change in state.changes:
        if change.entry is not None and change.before is not None:
            read.setdefault(change.entry.id, change.before["version"])
    now = {change.entry.id: change.entry.version for change in state.changes if change.entry is not None}
    for one in (one for wish in heard for one in wish.draft.ticked):
        if one.kind == "entry" and read.get(one.id) == one.version:
            one.version = now[one.id]


def _is_deleted(state: ApplyState, entry_id: UUID) -> bool:
    entry = state.rows.get(entry_id)
    return entry is not None and entry.state == EntryState.DELETED
