"""What replies left behind, where an entry or messages are erased: contexts that showed them, and calls of tools."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from chat.models import KeptContext, ToolCall
from upkeep.erasure.counts import Counts


def empty_replies(relationship_id: UUID, gone: Collection[UUID], now: datetime) -> Counts:
    """Take entries and messages out of kept contexts, and the arguments out of all calls of memory tools: a question
    says in any words what it is about.
    """
    calls = ToolCall.objects.for_relationship(relationship_id).filter(redacted_at=None)
    return Counts(
        kept_context=_forget_sources(relationship_id, gone),
        tool_call=calls.update(arguments={}, redacted_at=now),
    )


def _forget_sources(relationship_id: UUID, gone: Collection[UUID]) -> int:
    rows = KeptContext.objects.for_relationship(relationship_id)
    named = {str(one) for one in gone}
    found = list(rows.filter(source_ids__overlap=list(gone)))
    for kept in found:
        layers = [
            {**layer, "sources": [source for source in layer["sources"] if source not in named]}
            for layer in kept.layers
        ]
        rows.filter(id=kept.id).update(
            layers=layers,
            entries={entry: version for entry, version in kept.entries.items() if entry not in named},
            source_ids=[source for source in kept.source_ids if source not in gone],
        )
    return len(found)
