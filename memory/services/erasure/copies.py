"""Empties what was copied of erased words and messages: traces, prompts and answers, reasons, index, vectors."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory.models import EntryRevision, HeldDeletion, ModelCall, Replay, SearchedKind
from memory.retrieval.index.write import forget_texts
from memory.services.erasure.tally import Counts
from memory.services.erasure.turns import Emptied, Traces, empty_operations, turns_of
from memory.services.erasure.words import Words, quoting_reasons
from relationships.models import Message, Turn


def empty_copies(
    relationship_id: UUID, words: Words, traces: Traces, *, messages: Collection[UUID], now: datetime
) -> Counts:
    """Everything but the entries and their own history; `messages` are emptied with what rests on them."""
    left = leave_index(relationship_id, SearchedKind.MESSAGE, messages)
    emptied = empty_operations(relationship_id, words, traces, messages)
    turns = {*words.turns, *traces.turns, *turns_of(relationship_id, messages)}
    held = HeldDeletion.objects.for_relationship(relationship_id)
    return left + Counts(
        message=_redact_messages(relationship_id, messages, now),
        turn=len(emptied.turns),
        model_call=_redact_calls(relationship_id, words, turns, messages, now),
        held_deletion=sum(_empty_held(row, words, messages) for row in held),
        entry_revision=_empty_reasons(relationship_id, words, emptied),
        replay=Replay.objects.for_relationship(relationship_id).delete()[0],  # trials: they quote it all
    )


def leave_index(relationship_id: UUID, kind: SearchedKind, owner_ids: Collection[UUID]) -> Counts:
    """What search read of them, and what a model made of that."""
    gone = forget_texts(relationship_id=relationship_id, kind=kind, owner_ids=owner_ids)
    return Counts(gone._asdict())


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
