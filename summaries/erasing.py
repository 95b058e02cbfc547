"""Hides or erases summaries that cover a message, when the message is erased or an entry that rests on it is deleted,
and erases those that were told of an entry.

They are no longer shown from that moment, and the last of them is remade from what is left.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.db.models import Min, Q

from config.postgresql.sessions import execute
from memory.entries.history import ChangedEntries
from memory.models import EntryState, ModelCall
from relationships.models import Message
from summaries.models import Summary, SummaryState
from summaries.models.summary import OPEN
from summaries.owed import BY_POINT, owe_again
from summaries.prompt import LONGEST_MESSAGE, TOKENS_AT_ONCE
from summaries.snapshot import rebuild_summary

GONE = (SummaryState.ERASED, SummaryState.HIDDEN)

# Upper bound for the tokens of the messages between two of `ends`: see providers.tokens.estimate_tokens.
_TOKENS = f"""
SELECT width_bucket(seq - 1, %(ends)s::bigint[]), ceil(sum(1 + 0.3 * octet_length(said) - 0.05 * length(said)))::bigint
  FROM (SELECT seq, left(content, {LONGEST_MESSAGE}) AS said FROM relationships_message
         WHERE relationship_id = %(relationship)s AND seq > %(after)s AND seq <= %(last)s
           AND erased_at IS NULL AND hidden_at IS NULL) told
 GROUP BY 1
"""  # noqa: S608 - a constant of ours


def erase_in_summaries(
    *, relationship_id: UUID, message_ids: Collection[UUID], entry_ids: Collection[UUID], now: datetime
) -> tuple[int, Sequence[UUID]]:
    """Empty the summaries that cover these messages, or were told of these entries as corrected ones, and those that
    extend them. Returns how many, and their model calls, which quote the same.

    Versions by a person go too, as nobody can tell what they rest on, and those that are being made, as their calls are
    not stored yet. Call in the erasing transaction, under the relationship's row lock.
    """
    rows = Summary.objects.for_relationship(relationship_id)
    which = Q(id__in=_covering(relationship_id, message_ids).values("id"))
    if entry_ids:
        asked = ModelCall.objects.for_relationship(relationship_id).filter(purpose="summary")
        calls = list(asked.filter(shown_entry_ids__overlap=list(entry_ids)).values_list("id", flat=True))
        told = rows.filter(model_call_ids__overlap=calls).order_by("messages").first() if calls else None
        which |= Q(state__in=OPEN) | (Q(messages__gte=told.messages) if told else Q())
    covering = list(rows.filter(which).exclude(state=SummaryState.ERASED))
    emptied = erase_summaries(relationship_id, covering, now)
    return sum(summary.state not in OPEN for summary in covering), emptied


def erase_summaries(relationship_id: UUID, covering: Sequence[Summary], now: datetime) -> list[UUID]:
    """Empty these summaries. Returns their model calls."""
    emptied = {"state": SummaryState.ERASED, "text": "", "error": "", "erased_at": now}
    make_again(relationship_id, covering, now, **emptied)
    return [call_id for summary in covering for call_id in summary.model_call_ids]


def hide_in_summaries(changed: ChangedEntries) -> None:
    """Hide the summaries that cover messages of deleted entries. Their texts stay as history."""
    hidden = {
        UUID(message_id)
        for before, after in changed.changes
        if before and after and after["state"] == EntryState.DELETED != before["state"]
        for message_id in after["source_message_ids"]
    }
    if hidden:
        covering = _covering(changed.relationship_id, hidden).exclude(state__in=GONE)
        make_again(changed.relationship_id, list(covering), changed.now, state=SummaryState.HIDDEN)


def follow_hidden_messages(relationship_id: UUID, message_ids: Collection[UUID], now: datetime) -> None:
    """Hide and remake the summaries that cover messages which were hidden or are shown again."""
    covering = _covering(relationship_id, message_ids).exclude(state__in=GONE)
    make_again(relationship_id, list(covering), now, state=SummaryState.HIDDEN)


def _covering(relationship_id: UUID, message_ids: Collection[UUID]) -> Any:
    messages = Message.objects.for_relationship(relationship_id).filter(id__in=message_ids)
    first = messages.aggregate(seq=Min("seq"))["seq"] if message_ids else None
    rows = Summary.objects.for_relationship(relationship_id)
    return rows.none() if first is None else rows.filter(last_seq__gte=first)


def make_again(relationship_id: UUID, covering: Sequence[Summary], now: datetime, **gone: Any) -> None:
    """Take these summaries away and have the last one remade, with the steps it needs.

    `gone`: columns for those that are finished. A worker that is making one loses it, with what the model was shown.
    """
    if not covering:
        return
    rows = Summary.objects.for_relationship(relationship_id).filter(id__in=[row.id for row in covering])
    rows.filter(state__in=OPEN).settle(state=SummaryState.PENDING, due_at=now, error="", error_code="")
    rows.exclude(state__in=OPEN).update(**gone)
    being_made = {summary.messages for summary in covering if summary.state in OPEN}
    points = {summary.messages: summary for summary in covering}
    steps = _steps_to_the_last([points[messages] for messages in sorted(points)])
    if again := [summary for summary in steps if summary.messages not in being_made]:
        owe_again(again, by=BY_POINT)
    rebuild_summary(relationship_id=relationship_id, project_id=covering[0].project_id)


def _steps_to_the_last(summaries: Sequence[Summary]) -> list[Summary]:
    """Choose which of the withdrawn summaries to remake: the last, and enough before it that each takes one question.

    `summaries`: of one relationship, sorted by messages, one for each number.
    """
    ends = [summary.last_seq for summary in summaries]
    known = Summary.objects.for_relationship(summaries[0].relationship_id).ready()
    base = known.filter(messages__lt=summaries[0].messages).newest_first().first()
    asked = {"ends": ends, "last": ends[-1], "after": base.last_seq if base else 0}
    tokens = dict(execute(_TOKENS, {"relationship": summaries[0].relationship_id, **asked}))
    steps: list[Summary] = []
    room = TOKENS_AT_ONCE - tokens.get(0, 0)
    for place, (before, _) in enumerate(pairwise(summaries), start=1):
        if tokens.get(place, 0) > room:
            steps.append(before)
            room = TOKENS_AT_ONCE
        room -= tokens.get(place, 0)
    return [*steps, summaries[-1]]
