"""What the companion was shown when it said that: the contexts that were kept."""

from datetime import datetime
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from chat.models import KeptContext, ToolCall
from relationships.api.views import ApiView
from relationships.services.rows import require
from web.fields import Answer, JsonObject
from web.operations import operation

TAG = "Context"


class ToolCallAnswer(Answer):
    id: UUID
    name: str
    arguments: JsonObject
    ok: bool
    entry_ids: list[UUID]
    message_ids: list[UUID]
    milliseconds: float
    recorded_at: datetime
    redacted_at: datetime | None


class KeptContextAnswer(Answer):
    """By reference: the texts are those that the entries, messages and documents had."""

    id: UUID
    turn_id: UUID
    assembled_at: datetime
    total_tokens: int
    layers: list[JsonObject]
    """Of each: name, tokens, milliseconds, reason, and the IDs of its sources; of messages that were shortened, how
    many of their last characters were shown (`ends`).
    """
    entries: dict[str, int]
    """The version of each entry that was shown, by its ID; its history has the words."""
    provider: str
    model: str
    finish_reason: str
    """Empty: the reply broke off."""
    prompt_tokens: int | None
    output_tokens: int | None
    milliseconds: float
    """That the reply took."""
    tool_calls: list[ToolCallAnswer]
    """Memory tools that the model called for this reply."""


class KeptContextView(ApiView):
    @operation("contexts_read", "Read what a reply was shown", answers={200: KeptContextAnswer})
    def get(self, request: Request, relationship_id: UUID, context_id: UUID) -> Response:
        """`context_id` is in the answer of the chat endpoint. The configuration's `context.keep` says what is kept."""
        rows = self.owned(KeptContext, relationship_id).filter(id=context_id)
        kept: KeptContext = require(rows, "context")
        calls = ToolCall.objects.for_relationship(relationship_id).filter(turn_id=kept.turn_id).order_by("id")
        return self.answer(KeptContextAnswer.of(kept, tool_calls=[ToolCallAnswer.of(call) for call in calls]))
