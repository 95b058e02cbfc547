"""The context that a companion would get now, with near misses, and the contexts of past replies."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from admin_ui.access import OperatorView
from admin_ui.near_misses import near_misses_of
from admin_ui.params import text_or_json, text_param
from admin_ui.shown_context import blocks_of, blocks_of_kept
from admin_ui.words import sentence_of
from chat.models import KeptContext, ToolCall
from context.pipeline import build_context
from relationships.models import SessionState
from web.errors import NotFound, RapportError

MESSAGE_LIMIT = 20_000
SESSIONS_LISTED = 50
REPLIES_LISTED = 10


class ContextPreviewView(OperatorView):
    """Shows a context for ?message=, so that an operator can send the URL to a colleague."""

    tab = "preview"

    def get(self, request: HttpRequest) -> HttpResponse:
        message = text_param(request.GET, "message", limit=MESSAGE_LIMIT)
        session = text_param(request.GET, "session", limit=200)
        chosen = request.GET.get("format", "")
        ctx: dict[str, Any] = {
            "message": message,
            "session": session,
            "query": request.GET.urlencode(),
            "formats": list(settings.CONTEXT_FORMATS),
            "format": chosen if chosen in settings.CONTEXT_FORMATS else "",
        }
        try:
            assembled = build_context(
                project_id=self.project_id,
                relationship_id=self.relationship.id,
                message=message or None,
                session=session or None,
                format=ctx["format"] or None,
                explain=True,
                preview=True,
            )
        except RapportError as error:
            ctx["why"] = sentence_of(error)
        else:
            ctx |= {"assembled": assembled, "blocks": blocks_of(assembled, self.relationship)}
            ctx["rendered_text"] = text_or_json(assembled.rendered)
        return self.show_or_part("preview/detail", "preview/_assembled", target="assembled", **ctx)


class NearMissesView(OperatorView):
    """Search results with scores, past replies and sessions: a part that the preview loads, and a page of its own."""

    tab = "preview"

    def get(self, request: HttpRequest) -> HttpResponse:
        message = text_param(request.GET, "message", limit=MESSAGE_LIMIT)
        session = text_param(request.GET, "session", limit=200)
        replies = KeptContext.objects.for_relationship(self.relationship.id)
        sessions = SessionState.objects.for_relationship(self.relationship.id).order_by("-last_active_at")
        ctx: dict[str, Any] = {
            "message": message,
            "replies": replies.order_by("-assembled_at", "-id")[:REPLIES_LISTED],
            "sessions": sessions.values_list("session", flat=True)[:SESSIONS_LISTED],
        }
        try:
            ctx["rankings"] = near_misses_of(self.relationship, message=message, session=session)
        except RapportError as error:
            ctx["why"] = sentence_of(error)
        return self.show("preview/_near" if self.htmx else "preview/near", **ctx)


class KeptContextView(OperatorView):
    """The context of a past reply."""

    tab = "preview"

    def get(self, request: HttpRequest, context_id: UUID) -> HttpResponse:
        owner = self.relationship.id
        kept = KeptContext.objects.for_relationship(owner).filter(id=context_id).first()
        if kept is None:
            raise NotFound("What was shown before this reply was not kept, or was erased.")
        calls = ToolCall.objects.for_relationship(owner).filter(turn_id=kept.turn_id).order_by("id")
        blocks = blocks_of_kept(kept, self.relationship)
        return self.show("preview/kept", kept=kept, calls=calls, blocks=blocks)
