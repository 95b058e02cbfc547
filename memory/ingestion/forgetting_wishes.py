"""Reconcile an answer's operations with a request to forget, which decides about the entries that it concerns."""

import re
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from memory.ingestion.apply_state import ApplyState
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import Operation, beside
from memory.ingestion.text_similarity import share_said, unsaid_words
from memory.mending.judging import Verdict, judge
from memory.mending.spoken_wishes import Heard, carry_out_heard
from memory.mending.wishes import Wish, read_wish, unkept_in
from memory.models import EntryState, MendingVerb
from memory.models import Verdict as Outcome
from memory.words import normal
from web.actor import Actor

PART = "only a part of it is to be forgotten, which the plan of the wish does"
OTHER = "does not surely say what is to be forgotten"
PUT_RIGHT = "an entry is corrected to say it"
GOES = "the entry, or a part of it, is to be forgotten"
HALF = 0.5
ASKED_FOR = "was asked to be forgotten in the same breath"


def leave_to_wishes(
    given: IngestionInput, items: Sequence[Operation], heard: Sequence[Heard]
) -> list[Operation]:
    """Remove operations that contradict a wish: deleting an entry of which a part stays, or which does not surely say
    it, and adding what should be forgotten. If an entry is forgotten, what an update of it says beyond that becomes a
    new entry.
    """
    if not heard:
        return list(items)
    return [_left(given, item, heard) for item in items]


def _left(given: IngestionInput, item: Operation, heard: Sequence[Heard]) -> Operation:
    cited = [message.id for message in given.cited(item.messages)]
    for wish in heard:
        if wish.draft.verb == MendingVerb.CORRECT:
            asked = item.op == "add" and wish.message.id in cited and wish.taken
            if asked and _says(wish, read_wish(wish.draft.to), item.content):
                return item.refused(PUT_RIGHT)
            continue
        entry = given.entries[item.entry - 1] if item.entry is not None else None
        if entry is not None and wish.message.id in cited and item.op == "delete":
            if entry.id in wish.edited:
                return item.refused(PART)
            meant = wish.taken or {one.id for one in wish.draft.found if one.kind == "entry"}
            if meant and entry.id not in meant:
                return item.refused(OTHER)
        if entry is not None and item.op in ("update", "replace") and entry.id in wish.taken:
            rest = next(one.rest for one in wish.draft.ticked if one.id == entry.id)
            if rest is not None and not _adds(item.content, rest, entry.content):
                return item.refused(PART)
            key = item.key or (entry.key if rest is None else None)
            item = replace(beside(item, given, GOES), key=key)
        asked_for = wish.draft.scope.wish
        added = item.op == "add" and _said_before(given, item, wish)
        says = added and bool(asked_for.must) and _says(wish, asked_for, item.content)
        before = set(cited) - {wish.message.id}
        goes = added and asked_for.last and bool(before) and before <= wish.hidden
        if says or goes or (added and _only_repeats(wish, item, cited)):
            return item.refused(ASKED_FOR)
    return item


def _adds(text: str, rest: str, before: str) -> bool:
    """Return whether a text says what neither the rest of an entry says nor all of it did: "in May" of "on 4 May"."""
    new = unsaid_words(text, rest, before)
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", normal(before)) is None for word in new)


def _said_before(given: IngestionInput, item: Operation, wish: Heard) -> bool:
    """Return whether all messages that it cites were said before the wish or with it."""
    places = {message.id: number for number, message in enumerate(given.messages, start=1)}
    return all(number <= places.get(wish.message.id, 0) for number in item.messages)


def _says(wish: Heard, asked: Wish, content: str) -> bool:
    return judge(asked, content, stems={}, owners=wish.draft.scope.owners).verdict == Verdict.SAYS


def _only_repeats(wish: Heard, item: Operation, cited: Sequence[UUID]) -> bool:
    """Return whether it rests on the asking message alone, and all its words are those of the wish, or half of them
    those of what that message tells and asks not to keep, and the rest of the message has no others.
    """
    if set(cited) != {wish.message.id} or item.earlier:
        return False
    if told := unkept_in(wish.message.content):
        share = share_said(item.content, told, of_nothing=0)
        return share >= HALF and share == share_said(item.content, told, wish.message.content)
    return share_said(item.content, wish.draft.scope.wish.text, of_nothing=0) == 1


def carry_out_wishes(state: ApplyState, heard: Sequence[Heard], by: Actor) -> None:
    """Carry out the wishes. Call it in the settling transaction, after the operations."""
    if not heard:
        return
    gone = {
        result.entry_id: result.message_ids
        for result in state.results
        if result.entry_id
        and result.verdict == Outcome.APPLIED
        and (entry := state.rows.get(result.entry_id))
        and entry.state == EntryState.DELETED
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
