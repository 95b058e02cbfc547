"""What the companion would be shown right now, what nearly would be, and what it was shown before a past reply."""

import json
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from admin_ui.access import render_page_or_part
from admin_ui.near_misses import near_misses_of
from admin_ui.params import text_param
from admin_ui.shown_context import blocks_of, blocks_of_kept
from admin_ui.views.scratchpad import RelationshipPart
from admin_ui.words import sentence_of
from chat.models import KeptContext, ToolCall
from context.pipeline import build_context
from relationships.models import SessionState
from web.errors import NotFound, RapportError

MESSAGE_LIMIT = 20_000
SESSIONS_LISTED = 50
REPLIES_LISTED = 10


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
            "query": request.GET.urlencode(),
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
                preview=True,
            )
        except RapportError as error:
            ctx["why"] = sentence_of(error)
        else:
            ctx |= {"assembled": assembled, "blocks": blocks_of(assembled, relationship)}
            ctx["rendered_text"] = as_text(assembled.rendered)
        return render_page_or_part(request, "preview/detail", "preview/_assembled", ctx, target="assembled")


class NearMissesView(RelationshipPart):
    """The searches for a message with their scores, the last replies, the sessions: asked for by the page of the
    context, and a page of its own.
    """

    tab = "preview"

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        message = text_param(request.GET, "message", limit=MESSAGE_LIMIT)
        replies = KeptContext.objects.for_relationship(relationship_id).order_by("-assembled_at", "-id")
        sessions = SessionState.objects.for_relationship(relationship_id).order_by("-last_active_at")
        ctx: dict[str, Any] = {
            "relationship": relationship,
            "message": message,
            "replies": replies[:REPLIES_LISTED],
            "sessions": sessions.values_list("session", flat=True)[:SESSIONS_LISTED],
        }
        try:
            ctx["rankings"] = near_misses_of(
                relationship, message=message, session=text_param(request.GET, "session", limit=200)
            )
        except RapportError as error:
            ctx["why"] = sentence_of(error)
        part = getattr(request, "htmx", False)
        if not part:
            ctx |= self.ctx_of(relationship)
        return render(request, f"admin_ui/preview/{'_near' if part else 'near'}.html", ctx)


class KeptContextView(RelationshipPart):
    """What the companion was shown before one of its replies."""

    tab = "preview"

    def get(self, request: HttpRequest, relationship_id: UUID, context_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        kept = KeptContext.objects.for_relationship(relationship_id).filter(id=context_id).first()
        if kept is None:
            raise NotFound("What was shown before this reply was not kept, or was erased.")
        calls = ToolCall.objects.for_relationship(relationship_id).filter(turn_id=kept.turn_id).order_by("id")
        ctx = {
            **self.ctx_of(relationship),
            "kept": kept,
            "calls": calls,
            "blocks": blocks_of_kept(kept, relationship),
        }
        return render(request, "admin_ui/preview/kept.html", ctx)


def as_text(rendered: Any) -> str:
    """A vendor's shape as one would paste it."""
    return rendered if isinstance(rendered, str) else json.dumps(rendered, ensure_ascii=False, indent=2)
