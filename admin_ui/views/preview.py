"""What the companion would be shown right now: the context as it would be assembled, layer by layer."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from admin_ui.access import render_page_or_part
from admin_ui.params import parse_uuid, text_param
from admin_ui.views.scratchpad import RelationshipPart
from context.answer import AssembledContext, LayerReport
from context.pipeline import build_context
from memory.models import ScratchpadEntry
from relationships.models import SessionState
from web.errors import RapportError

MESSAGE_LIMIT = 20_000
SESSIONS_LISTED = 50
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


class ContextPreviewView(RelationshipPart):
    """By GET, as it changes nothing: the address holds the question and can be sent to a colleague."""

    tab = "preview"

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        message = text_param(request.GET, "message", limit=MESSAGE_LIMIT)
        session = text_param(request.GET, "session", limit=200)
        chosen = request.GET.get("format", "")
        ctx: dict[str, Any] = {
            **self.ctx_of(relationship),
            "message": message,
            "session": session,
            "sessions": SessionState.objects.for_relationship(relationship_id)
            .order_by("-last_active_at")
            .values_list("session", flat=True)[:SESSIONS_LISTED],
            "formats": list(settings.CONTEXT_FORMATS),
            "format": chosen if chosen in settings.CONTEXT_FORMATS else "",
        }
        try:
            assembled = build_context(
                project_id=self.access.project.id,
                relationship_id=relationship_id,
                message=message or None,
                session=session or None,
                format=ctx["format"] or None,
                explain=True,
            )
        except RapportError as error:
            ctx["why"] = error.detail
        else:
            blocks = blocks_of(assembled, relationship_id)
            empty = [block.report.name for block in blocks if block.empty]
            ctx |= {"assembled": assembled, "blocks": blocks, "empty": empty}
            ctx["rendered_text"] = as_text(assembled.rendered)
        return render_page_or_part(request, "preview/detail", "preview/_assembled", ctx, target="assembled")


def blocks_of(assembled: AssembledContext, relationship_id: UUID) -> list[Block]:
    """The layers in their order; one statement finds all entries they name."""
    named = {source for report in assembled.layers for source in report.sources[:LINES]}
    contents = _contents(relationship_id, [found for name in named if (found := parse_uuid(name))])
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
