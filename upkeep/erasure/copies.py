"""Empty the copies of erased text: traces, prompts and answers, reasons, index, vectors."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, TextField
from django.db.models.functions import Cast

from behaviours.runs import erase_in_runs
from chat.models import KeptContext, ToolCall
from memory.ingestion.results import emptied
from memory.mending.plans import leave_plans
from memory.model_calls import erase_calls
from memory.models import (
    EntryRevision,
    MendingVerb,
    ModelCall,
    OperationKind,
    OperationResult,
    Replay,
    SearchedKind,
)
from memory.retrieval.index.write import forget_texts
from memory.retrieval.questions import NOT_EMBEDDED
from memory.retrieval.reranking import NOT_RERANKED
from relationships.models import Message, Turn
from summaries.erasing import erase_in_summaries
from upkeep.erasure.counts import Counts
from upkeep.erasure.erased_texts import Traces, Words, quoting_reasons, turns_of
from workspace.redaction import forget_facts, forget_recalled

AT_ONCE = 100  # rows of one statement, in which each is compared with all of them
_EMPTY: dict[str, Any] = {"reason": "", "text": "", "content_hash": None, "held_reason": "", "erased": True}


def empty_copies(
    relationship_id: UUID, words: Words, traces: Traces, *, messages: Collection[UUID], now: datetime
) -> Counts:
    """Empty everything but the entries and their history. `messages` are emptied with all that is based on them."""
    left = leave_index(relationship_id, SearchedKind.MESSAGE, messages)
    summaries, of_summaries = erase_in_summaries(
        relationship_id=relationship_id, message_ids=messages, entry_ids=words.entries, now=now
    )
    spoken_in = turns_of(relationship_id, messages)
    turns = {*words.turns, *traces.turns, *spoken_in}
    runs, queued = erase_in_runs(
        relationship_id=relationship_id, turn_ids=turns, entry_ids=words.entries, now=now
    )
    in_turns, of_entries, held = _empty_operations(relationship_id, traces, messages, spoken_in)
    left += empty_replies(relationship_id, {*words.entries, *messages}, now)
    spoken = Message.objects.for_relationship(relationship_id).filter(id__in=messages, erased_at=None)
    return left + Counts(
        message=spoken.update(content="", metadata={}, erased_at=now),
        turn=len(in_turns),
        summary=summaries,
        behaviour_run=runs,
        outbox_message=queued,
        model_call=_redact_calls(relationship_id, words, turns, messages, of_summaries, now),
        held_deletion=len(held),
        entry_revision=_empty_reasons(relationship_id, words, in_turns, of_entries),
        agent_session=forget_facts(relationship_id, spoken_in),
        agent_step=forget_recalled(relationship_id) if messages else 0,
        mending_plan=leave_plans(relationship_id, {*words.entries, *messages}),
        replay=Replay.objects.for_relationship(relationship_id).delete()[0],  # trials, which quote everything
    )


def leave_index(relationship_id: UUID, kind: SearchedKind, owner_ids: Collection[UUID]) -> Counts:
    """Remove texts from the index, and their vectors."""
    gone = forget_texts(relationship_id=relationship_id, kind=kind, owner_ids=owner_ids)
    return Counts(gone._asdict())


def _empty_operations(
    relationship_id: UUID, traces: Traces, messages: Collection[UUID], spoken_in: Collection[UUID]
) -> tuple[set[UUID], set[UUID], set[UUID]]:
    """Empty the operations found, those based on these messages, and unreadable ones that may be. Return the turns in
    which something was emptied, the entries it was about, and the held deletions that lost their reason.
    """
    owned = OperationResult.objects.for_relationship(relationship_id)
    which = Q(id__in=traces.operations)
    if messages:
        showed = ModelCall.objects.for_relationship(relationship_id).filter(
            shown_message_ids__overlap=list(messages)
        )
        unclear = Q(turn_id__in=spoken_in) | Q(call_id__in=list(showed.values_list("id", flat=True)))
        which |= Q(message_ids__overlap=list(messages)) | Q(kind=OperationKind.UNREADABLE) & unclear
    found = list(owned.filter(which, erased=False))
    turns = traces.turns | {row.turn_id for row in found}
    entries = {row.entry_id for row in found if row.entry_id}
    held = {row.held_id for row in found if row.held_reason}
    for row in found:
        row.operation = emptied(row.operation)
    owned.filter(id__in=[row.id for row in found]).update(**_EMPTY)
    owned.bulk_update(found, ["operation"], batch_size=AT_ONCE)
    failed = Turn.objects.for_relationship(relationship_id).filter(id__in=turns)
    failed.exclude(error="").update(error="")
    return turns, entries, held


def _empty_reasons(
    relationship_id: UUID, words: Words, turns: Collection[UUID], entries: Collection[UUID]
) -> int:
    """Empty reasons in other entries' history, if their operation was emptied or they quote the words."""
    behind = Q(turn_id__in=turns, entry_id__in=entries)
    quoting = Q(id__in=quoting_reasons(relationship_id, words))
    revisions = EntryRevision.objects.for_relationship(relationship_id).filter(behind | quoting)
    changed: int = revisions.exclude(entry_id__in=words.entries).exclude(reason="").update(reason="")
    return changed


def _redact_calls(
    relationship_id: UUID,
    words: Words,
    turns: Collection[UUID],
    cited: Collection[UUID],
    of_summaries: Collection[UUID],
    now: datetime,
) -> int:
    showed = Q(shown_entry_ids__overlap=list(words.entries)) | Q(turn_ids__overlap=list(turns))
    # A request to forget may use other words.
    showed |= Q(id__in=of_summaries) | Q(purpose__in=MendingVerb.values)
    if cited:
        messages = list(cited)
        showed |= Q(shown_message_ids__overlap=messages) | Q(reference_message_ids__overlap=messages)
    calls = ModelCall.objects.for_relationship(relationship_id)
    found = list(calls.filter(showed, redacted_at=None).values_list("id", flat=True))
    erase_calls(calls.filter(id__in=found), now)
    # A provider's error message may quote the call.
    failed = Turn.objects.for_relationship(relationship_id).filter(model_call_ids__overlap=found)
    failed.exclude(error="").update(error="")
    return len(found)


def empty_replies(relationship_id: UUID, gone: Collection[UUID], now: datetime) -> Counts:
    """Remove entries and messages from kept contexts, with reasons in which a provider may quote them, and the
    arguments of all calls of memory tools, as a question may use other words.
    """
    rows = KeptContext.objects.for_relationship(relationship_id)
    named = {str(one) for one in gone}
    quotes = Q(told__contains=NOT_EMBEDDED) | Q(told__contains=NOT_RERANKED)
    told = rows.annotate(told=Cast("layers", TextField()))
    found = list(told.filter(Q(source_ids__overlap=list(gone)) | quotes))
    for kept in found:
        rows.filter(id=kept.id).update(
            layers=[_without(layer, named) for layer in kept.layers],
            entries={entry: version for entry, version in kept.entries.items() if entry not in named},
            source_ids=[source for source in kept.source_ids if source not in gone],
        )
    calls = ToolCall.objects.for_relationship(relationship_id).filter(redacted_at=None)
    emptied_calls = calls.update(arguments={}, redacted_at=now)
    return Counts(kept_context=len(found), tool_call=emptied_calls)


def _without(layer: Mapping[str, Any], named: Collection[str]) -> Mapping[str, Any]:
    """A kept layer without these sources, and without a reason in which a provider may quote them."""
    left = {**layer, "sources": [source for source in layer["sources"] if source not in named]}
    if any(why in layer.get("reason", "") for why in (NOT_EMBEDDED, NOT_RERANKED)):
        left["reason"] = ""
    for shortened in ("ends", "parts"):
        if shortened in layer:
            left[shortened] = {name: part for name, part in layer[shortened].items() if name not in named}
    return left
