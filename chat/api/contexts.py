"""The stored contexts: what the companion was shown for a reply."""

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
    """A context by reference: the texts are those of the entries, messages and documents at that time."""

    id: UUID
    turn_id: UUID
    assembled_at: datetime
    total_tokens: int
    layers: list[JsonObject]
    """For each layer: name, tokens, milliseconds, reason, and the IDs of its sources. For shortened messages, `ends` is
    the number of their last characters that were shown, and `parts` where the shown passage begins and ends.
    """
    entries: dict[str, int]
    """The version of each entry that was shown, by ID. The text is in the entry's history."""
    provider: str
    model: str
    finish_reason: str
    """Empty: the reply was interrupted."""
    prompt_tokens: int | None
    output_tokens: int | None
    milliseconds: float
    """How long the reply took."""
    tool_calls: list[ToolCallAnswer]
    """The memory tools that the model called for this reply."""


class KeptContextView(ApiView):
    @operation("contexts_read", "Read what a reply was shown", answers={200: KeptContextAnswer})
    def get(self, request: Request, relationship_id: UUID, context_id: UUID) -> Response:
        """The chat endpoint returns the `context_id`. The configuration's `context.keep` decides which contexts are
        kept.
        """
        rows = self.owned(KeptContext, relationship_id).filter(id=context_id)
        kept: KeptContext = require(rows, "context")
        calls = ToolCall.objects.for_relationship(relationship_id).filter(turn_id=kept.turn_id).order_by("id")
        return self.answer(KeptContextAnswer.of(kept, tool_calls=[ToolCallAnswer.of(call) for call in calls]))
