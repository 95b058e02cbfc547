"""Corrections by hand. No message contains them, so the model that summarises is told, and a summary that repeats the
old text is remade.
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

MOST = 50  # corrections that the model is told, newest first
MOST_READ = 200_000  # characters in which old texts are looked for: half a second


def corrected_since(relationship_id: UUID, base: Summary | None) -> Sequence[ScratchpadEntry]:
    """The current entries that were changed by hand since `base` was made; None: at any time."""
    edits = EntryRevision.objects.for_relationship(relationship_id).filter(
        event=RevisionEvent.UPDATE, turn_id=None
    )
    if base is not None:
        edits = edits.filter(recorded_at__gt=base.made_at)
    rows = ScratchpadEntry.objects.for_relationship(relationship_id).active()
    rows = rows.filter(id__in=edits.values("entry_id")).exclude(source_message_ids=[])
    return list(rows.order_by("-effective_at", "-id")[:MOST])


def renew_corrected(changed: ChangedEntries) -> None:
    """Have the newest summary remade if it may repeat an entry's old text, unless a person wrote it. Of many old texts
    and a long summary that is taken for granted.
    """
    old = [before["content"] for before, after in changed.changes if before and _by_hand(before, after)]
    if not old:
        return
    rows = Summary.objects.for_relationship(changed.relationship_id)
    newest = rows.ready().newest_first().first()
    if newest is None or not newest.model_call_ids:
        return
    if len(old) * len(newest.text) > MOST_READ or any(
        judge(read_wish(text), newest.text, stems={}).verdict != Verdict.NOT for text in old
    ):
        alike = rows.filter(Q(id=newest.id) | Q(state__in=OPEN), messages=newest.messages)
        make_again(changed.relationship_id, list(alike), changed.now)


def _by_hand(before: Mapping[str, Any], after: Mapping[str, Any] | None) -> bool:
    """Return whether an entry that rests on messages got another text without a new message."""
    return (
        after is not None
        and before["state"] == after["state"] == EntryState.ACTIVE
        and before["content"] != after["content"]
        and before["source_message_ids"] == after["source_message_ids"] != []
    )
