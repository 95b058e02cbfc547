"""What the companion would be shown right now: the context as it would be assembled, layer by layer."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from admin_ui.asked import text_in
from admin_ui.preview import as_text, blocks_of
from admin_ui.views.scratchpad import RelationshipPart
from context.pipeline import build_context
from relationships.errors import RapportError
from relationships.models import SessionState

MESSAGE_LIMIT = 20_000
SESSIONS_LISTED = 50


class ContextPreviewView(RelationshipPart):
    """By GET, as it changes nothing: the address holds the question and can be sent to a colleague."""

    tab = "preview"

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        message = text_in(request.GET, "message", limit=MESSAGE_LIMIT)
        session = text_in(request.GET, "session", limit=200)
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
                project_id=self.seat.project.id,
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
        part = getattr(request, "htmx", False) and request.htmx.target == "assembled"  # type: ignore[attr-defined]
        return render(request, f"admin_ui/preview/{'_assembled' if part else 'detail'}.html", ctx)
