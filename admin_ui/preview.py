"""An assembled context as the page shows it: one block a layer, its sources by their words."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from admin_ui.asked import uuid_in
from context.answer import AssembledContext, LayerReport
from memory.models import ScratchpadEntry

LINES = 60  # of one layer's sources
_MESSAGE_IDS = re.compile(r"; rests on message .*$")  # the entry's story quotes them


@dataclass(frozen=True, slots=True)
class Source:
    """One thing a layer showed, and why. `entry`: its ID where it is one, so that the page can link it."""

    text: str
    reason: str
    entry: UUID | None


@dataclass(frozen=True, slots=True)
class Block:
    """One layer: its share of the context's tokens in per cent, and what it is made of."""

    report: LayerReport
    share: int
    sources: Sequence[Source]
    more: int

    @property
    def empty(self) -> bool:
        return not (self.report.tokens or self.sources or self.report.left_out)


def blocks_of(assembled: AssembledContext, relationship_id: UUID) -> list[Block]:
    """The layers in their order; one statement finds all entries they name."""
    named = {source for report in assembled.layers for source in report.sources[:LINES]}
    contents = _contents(relationship_id, [found for name in named if (found := uuid_in(name))])
    whole = assembled.total_tokens or 1
    return [
        Block(
            report=report,
            share=round(100 * report.tokens / whole),
            sources=[_source(name, report, contents) for name in report.sources[:LINES] if name in contents],
            more=max(0, len(report.sources) - LINES),
        )
        for report in assembled.layers
    ]


def as_text(rendered: Any) -> str:
    """A vendor's shape as one would paste it."""
    return rendered if isinstance(rendered, str) else json.dumps(rendered, ensure_ascii=False, indent=2)


def _source(name: str, report: LayerReport, contents: dict[str, str]) -> Source:
    reason = (report.reasons or {}).get(name, report.reason)
    return Source(contents[name], _MESSAGE_IDS.sub("", reason), UUID(name))


def _contents(relationship_id: UUID, ids: Sequence[UUID]) -> dict[str, str]:
    rows = ScratchpadEntry.objects.for_relationship(relationship_id).filter(id__in=ids)
    return {str(entry_id): content for entry_id, content in rows.values_list("id", "content")}
