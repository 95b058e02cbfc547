"""What a person corrected by hand: no message says it, so whoever makes a summary is told, and a summary that says the
old thing is made again.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory.entries.history import ChangedEntries
from memory.mending.judging import Verdict, judge
from memory.mending.wishes import read_wish
from memory.models import EntryRevision, EntryState, RevisionEvent, ScratchpadEntry
from summaries.erasing import make_again
from summaries.models import Summary
from summaries.models.summary import OPEN

MOST = 50  # that are told, the newest


def corrected_since(relationship_id: UUID, base: Summary | None) -> Sequence[ScratchpadEntry]:
    """Entries as they are now that were changed by hand since that summary was made; None: ever."""
    edits = EntryRevision.objects.for_relationship(relationship_id).filter(
        event=RevisionEvent.UPDATE, turn_id=None
    )
    if base is not None:
        edits = edits.filter(recorded_at__gt=base.made_at)
    rows = ScratchpadEntry.objects.for_relationship(relationship_id).active()
    rows = rows.filter(id__in=edits.values("entry_id")).exclude(source_message_ids=[])
    return list(rows.order_by("-effective_at", "-id")[:MOST])


def renew_corrected(changed: ChangedEntries) -> None:
    """Owe the newest summary again where it may say what an entry said before; but for a text of a person's own."""
    old = [before["content"] for before, after in changed.changes if before and _by_hand(before, after)]
    if not old:
        return
    rows = Summary.objects.for_relationship(changed.relationship_id)
    newest = rows.ready().newest_first().first()
    if newest is None or not newest.model_call_ids:
        return
    if any(judge(read_wish(text), newest.text, stems={}).verdict != Verdict.NOT for text in old):
        alike = rows.filter(Q(id=newest.id) | Q(state__in=OPEN), messages=newest.messages)
        make_again(changed.relationship_id, list(alike), changed.now)


def _by_hand(before: Mapping[str, Any], after: Mapping[str, Any] | None) -> bool:
    """Whether an entry that rests on messages says something else, and no new message does."""
    return (
        after is not None
        and before["state"] == after["state"] == EntryState.ACTIVE
        and before["content"] != after["content"]
        and before["source_message_ids"] == after["source_message_ids"] != []
    )
