from datetime import datetime
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.fields import Answer, PageQuery, SessionName
from relationships.api.operations import operation
from relationships.api.pagination import page_of
from relationships.api.views import ApiView
from relationships.models import Message

TAG = "Messages"


class MessageQuery(PageQuery):
    session: SessionName | None = None


class MessageAnswer(Answer):
    id: UUID
    turn_id: UUID
    seq: int
    """Its place among everything that happened in the relationship."""
    session: str
    role: str
    speaker: str
    content: str
    occurred_at: datetime
    """When it was said."""
    recorded_at: datetime
    """When we wrote it down."""
    erased_at: datetime | None
    """When its content was erased; null: it was not."""


class MessagePage(Answer):
    items: list[MessageAnswer]
    next_cursor: str | None


def present_message(message: Message) -> dict[str, Any]:
    return {
        "id": message.id,
        "turn_id": message.turn_id,
        "seq": message.seq,
        "session": message.session,
        "role": message.role,
        "speaker": message.speaker,
        "content": message.content,
        "occurred_at": message.occurred_at,
        "recorded_at": message.recorded_at,
        "erased_at": message.erased_at,
    }


class MessagesView(ApiView):
    open_to_tokens = True

    @operation(
        "messages_list", tag=TAG, summary="List messages", query=MessageQuery, answers={200: MessagePage}
    )
    def get(self, request: Request, relationship_id: UUID) -> Response:
        """The conversation, newest first."""
        query = self.query(MessageQuery)
        self.get_relationship(relationship_id)
        rows = Message.objects.for_relationship(relationship_id)
        if query.session is not None:
            rows = rows.filter(session=query.session)
        return self.answer(page_of(rows, order=["-seq"], page=query, present=present_message))
