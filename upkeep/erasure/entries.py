"""Erase an entry with every copy of its words. What happened to it, when and by whom, stays readable."""

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from memory.entries.history import Change, change_entries
from memory.models import EntryRevision, EntryState, RevisionEvent, ScratchpadEntry, SearchedKind
from relationships.services.rows import check_version, require
from relationships.services.sequence import lock_relationship
from upkeep.erasure.allow_erasure import erasing
from upkeep.erasure.copies import empty_copies, leave_index
from upkeep.erasure.counts import Counts, table_name, tell
from upkeep.erasure.erased_texts import Traces, Words, find_traces, same_words_elsewhere, turns_of, words_of
from upkeep.erasure.remaining_messages import StillHolding, WordSearch
from web.actor import Actor
from workspace.deleted_entries import withhold
from workspace.redaction import redact_workspace


@dataclass(frozen=True, slots=True)
class EntryErasure:
    """What was erased. `redacted`: messages that were emptied, sorted by ID; `holding`: those that still contain
    its words."""

    counts: Counts
    redacted: tuple[UUID, ...]
    holding: StillHolding


def erase_entry(
    *,
    relationship_id: UUID,
    entry_id: UUID,
    by: Actor,
    messages: Literal["redact", "keep"] = "redact",
    version: int | None = None,
) -> EntryErasure:
    """Erase an entry, and inactive entries that say exactly the same.

    Its history keeps what happened, when and by whom, without words. With `redact` the messages it is based on are
    emptied too, and those of the same exchanges, by either side, that contain all of it, so that it can't be learnt
    again. `keep` leaves the conversation as it is. Prompts and answers about it, and operations that quote it, are
    emptied in both cases. `version`: the expected one, None for any. Raises NotFound, StaleVersion.
    """
    with erasing():
        lock_relationship(relationship_id)
        entries = ScratchpadEntry.objects.for_relationship(relationship_id)
        entry: ScratchpadEntry = require(entries.filter(id=entry_id), "entry")
        check_version(expected=version, current=entry.version)
        words = words_of([entry], {})
        search = WordSearch(relationship_id, words.contents)
        traces = find_traces(relationship_id, words)
        redacted: set[UUID] = set()
        if messages == "redact":
            cited = words.cited | traces.cited
            exchanges = {*words.turns, *traces.turns, *turns_of(relationship_id, cited)}
            redacted = {*cited, *search.whole(exchanges)}
        counts = _erase([entry], words, traces, redacted, by)
        told = tell(project_id=entry.project_id, level="entry", target_id=entry_id, by=by, counts=counts)
    # After the lock is released, so that nobody waits for this; what was emptied is no longer found.
    return EntryErasure(told, tuple(sorted(redacted)), search.still_holding())


def erase_entries(entries: Sequence[ScratchpadEntry], kept: Mapping[UUID, str], *, by: Actor) -> Counts:
    """Erase several entries of one relationship like `erase_entry`, with few statements, and keep the conversation.

    `kept`: by an entry's ID, a text of it that may stay. Call it inside `erasing`, under the row lock.
    """
    if not entries:
        return Counts()
    words = words_of(entries, kept)
    counts = _erase(entries, words, find_traces(entries[0].relationship_id, words), set(), by, edited=kept)
    for entry in entries:
        one = Counts(scratchpad_entry=1)
        tell(project_id=entry.project_id, level="entry", target_id=entry.id, by=by, counts=one)
    return counts


def _erase(
    entries: Sequence[ScratchpadEntry],
    words: Words,
    traces: Traces,
    redacted: Collection[UUID],
    by: Actor,
    *,
    edited: Container[UUID] = (),
) -> Counts:
    """`edited`: entries of which a part stays."""
    relationship_id, now = entries[0].relationship_id, timezone.now()
    active = [row for row in entries if row.state == EntryState.ACTIVE and row.id not in edited]
    if active:
        withhold(relationship_id, active)  # removes what says the same in other words, too
    counts = empty_copies(relationship_id, words, traces, messages=redacted, now=now)
    counts += leave_index(relationship_id, SearchedKind.ENTRY, words.entries)
    for model, count in redact_workspace(relationship_id, words.contents).items():
        counts[table_name(model)] += count
    counts["entry_revision"] += _redact_history(entries[0], words, by, now)
    counts["scratchpad_entry"] = len(words.entries)
    return counts


def _redact_history(entry: ScratchpadEntry, words: Words, by: Actor, now: datetime) -> int:
    """Delete the entries, with one more revision of each that says who erased it, then empty all their revisions.

    `entry`: any of the relationship.
    """
    gone = [
        Change(RevisionEvent.REDACT, {"id": str(entry_id), "version": version + 1}, None, now)
        for entry_id, version in words.entries.items()
    ]
    change_entries(
        relationship_id=entry.relationship_id, project_id=entry.project_id, changes=gone, by=by, now=now
    )
    wordy = Q(entry_id__in=words.entries) | Q(id__in=same_words_elsewhere(entry.relationship_id, words))
    revisions = EntryRevision.objects.for_relationship(entry.relationship_id).filter(wordy)
    redacted: int = revisions.update(before=None, after=None, reason="", redacted_at=now)
    return redacted
