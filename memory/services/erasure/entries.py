"""Erases one entry with every copy of its words; what happened to it, when and by whom stays readable."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from memory.indexing.write import forget_texts
from memory.models import (
    EntryRevision,
    HeldDeletion,
    ModelCall,
    Replay,
    RevisionEvent,
    ScratchpadEntry,
    SearchedKind,
)
from memory.services.erasure.permit import erasing
from memory.services.erasure.tally import Counts, Erasure, tell
from memory.services.erasure.turns import Emptied, empty_operations, find_traces, turns_of
from memory.services.erasure.words import Words, quoting_reasons, same_words_elsewhere, words_of
from memory.services.history import Change, record_changes
from memory.services.snapshots import rebuild_scratchpad
from relationships.actor import Actor
from relationships.errors import NotFound
from relationships.models import Message, Turn
from relationships.services.sequence import lock_relationship


def erase_entry(
    *, relationship_id: UUID, entry_id: UUID, by: Actor, messages: Literal["redact", "keep"] = "redact"
) -> Erasure:
    """Forget an entry, and entries shown nowhere that say exactly the same. Raises NotFound.

    Its history keeps what happened, when and by whom, without words. With `redact` the messages it rests on are
    emptied too, so that it can't be learnt from them again; `keep` leaves the conversation as it was. What the model
    was asked and answered about it is emptied either way, and so are operations that quote it.
    """
    with erasing():
        lock_relationship(relationship_id)
        entries = ScratchpadEntry.objects.for_relationship(relationship_id)
        entry: ScratchpadEntry | None = entries.filter(id=entry_id).first()
        if entry is None:
            raise NotFound("This entry is not there.")
        now, words = timezone.now(), words_of(entry)
        counts = _empty_copies(relationship_id, words, redact=messages == "redact", now=now)
        counts += _leave_index(relationship_id, SearchedKind.ENTRY, words.entries)
        counts["entry_revision"] = _redact_history(entry, words, by, now) + counts["entry_revision"]
        counts["scratchpad_entry"] = entries.filter(id__in=words.entries).delete()[0]
        rebuild_scratchpad(relationship_id=relationship_id, project_id=entry.project_id, now=now)
        return tell(project_id=entry.project_id, level="entry", target_id=entry_id, by=by, counts=counts)


def _empty_copies(relationship_id: UUID, words: Words, *, redact: bool, now: datetime) -> Counts:
    """Everything but the entry and its own history."""
    traces = find_traces(relationship_id, words)
    held = list(HeldDeletion.objects.for_relationship(relationship_id))
    cited: set[UUID] = set()
    if redact:
        cited = {*words.cited, *traces.cited, *_cited_by_held(held, words)}
    left = _leave_index(relationship_id, SearchedKind.MESSAGE, cited)
    emptied = empty_operations(relationship_id, words, traces, cited)
    turns = {*words.turns, *traces.turns, *turns_of(relationship_id, cited)}
    return left + Counts(
        message=_redact_messages(relationship_id, cited, now),
        turn=len(emptied.turns),
        model_call=_redact_calls(relationship_id, words, turns, cited, now),
        held_deletion=sum(_empty_held(row, words, cited) for row in held),
        entry_revision=_empty_reasons(relationship_id, words, emptied),
        replay=Replay.objects.for_relationship(relationship_id).delete()[0],  # trials: they quote it all
    )


def _redact_history(entry: ScratchpadEntry, words: Words, by: Actor, now: datetime) -> int:
    """One more revision for each erased entry says who erased it; then all of theirs lose their text, this one's
    bare ID included."""
    gone = [
        Change(RevisionEvent.REDACT, {"id": str(entry_id), "version": version + 1}, None, now)
        for entry_id, version in words.entries.items()
    ]
    record_changes(
        relationship_id=entry.relationship_id, project_id=entry.project_id, changes=gone, by=by, now=now
    )
    wordy = Q(entry_id__in=words.entries) | Q(id__in=same_words_elsewhere(entry.relationship_id, words))
    revisions = EntryRevision.objects.for_relationship(entry.relationship_id).filter(wordy)
    redacted: int = revisions.update(before=None, after=None, reason="", redacted_at=now)
    return redacted


def _empty_reasons(relationship_id: UUID, words: Words, emptied: Emptied) -> int:
    """Of other entries' changes: where the operation behind them was emptied, or the reason quotes the words."""
    behind = Q(turn_id__in=emptied.turns, entry_id__in=emptied.entries)
    quoting = Q(id__in=quoting_reasons(relationship_id, words))
    revisions = EntryRevision.objects.for_relationship(relationship_id).filter(behind | quoting)
    changed: int = revisions.exclude(entry_id__in=words.entries).exclude(reason="").update(reason="")
    return changed


def _redact_messages(relationship_id: UUID, message_ids: Collection[UUID], now: datetime) -> int:
    messages = Message.objects.for_relationship(relationship_id).filter(id__in=message_ids, erased_at=None)
    redacted: int = messages.update(content="", erased_at=now)
    return redacted


def _leave_index(relationship_id: UUID, kind: SearchedKind, owner_ids: Collection[UUID]) -> Counts:
    """What search read of them, and what a model made of that."""
    gone = forget_texts(relationship_id=relationship_id, kind=kind, owner_ids=owner_ids)
    return Counts(gone._asdict())


def _redact_calls(
    relationship_id: UUID, words: Words, turns: Collection[UUID], cited: Collection[UUID], now: datetime
) -> int:
    showed = Q(shown_entry_ids__overlap=list(words.entries)) | Q(turn_ids__overlap=list(turns))
    if cited:
        messages = list(cited)
        showed |= Q(shown_message_ids__overlap=messages) | Q(reference_message_ids__overlap=messages)
    calls = ModelCall.objects.for_relationship(relationship_id)
    found = list(calls.filter(showed, redacted_at=None).values_list("id", flat=True))
    calls.filter(id__in=found).update(system="", prompt="", answer="", error="", redacted_at=now)
    # A provider's words about a call may quote it.
    failed = Turn.objects.for_relationship(relationship_id).filter(model_call_ids__overlap=found)
    failed.exclude(error="").update(error="")
    return len(found)


def _cited_by_held(held: list[HeldDeletion], words: Words) -> set[UUID]:
    return {
        UUID(message_id)
        for row in held
        for item in row.deletions
        if UUID(item["entry_id"]) in words.entries
        for message_id in item["message_ids"]
    }


def _empty_held(held: HeldDeletion, words: Words, cited: Collection[UUID]) -> int:
    """The reasons of what was to be deleted; 1 if any was emptied."""
    kept = [{**item, "reason": ""} if _is_about(item, words, cited) else item for item in held.deletions]
    if kept == held.deletions:
        return 0
    rows = HeldDeletion.objects.for_relationship(held.relationship_id).filter(id=held.id)
    return rows.update(deletions=kept)


def _is_about(item: dict[str, Any], words: Words, cited: Collection[UUID]) -> bool:
    rests_on = {UUID(message_id) for message_id in item["message_ids"]}
    about = UUID(item["entry_id"]) in words.entries or words.quoted_in(item["reason"])
    return about or not rests_on.isdisjoint(cited)
