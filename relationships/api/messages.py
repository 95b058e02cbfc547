from datetime import datetime
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.views import ApiView
from relationships.models import Message, MessageRole
from web.fields import Answer, JsonObject, Page, PageQuery, SessionName
from web.operations import operation

TAG = "Messages"


class MessageQuery(PageQuery):
    session: SessionName | None = None
    hidden: bool = False
    """Include hidden ones."""


class MessageAnswer(Answer):
    id: UUID
    turn_id: UUID
    seq: int
    """Its place among everything that happened in the relationship."""
    session: str
    role: MessageRole
    speaker: str
    content: str
    metadata: JsonObject
    """The developer's own."""
    occurred_at: datetime
    """When it was said."""
    recorded_at: datetime
    """When it was written down."""
    erased_at: datetime | None
    """When its content was erased; null: it was not."""
    hidden_at: datetime | None
    """Since when it has been hidden and unused; null: it is not hidden."""


class MessagesView(ApiView):
    open_to_tokens = True

    @operation("messages_list", "List messages", answers={200: Page[MessageAnswer]})
    def get(self, request: Request, relationship_id: UUID, query: MessageQuery) -> Response:
        """The conversation, newest first."""
        rows = self.owned(Message, relationship_id).filter(**query.given("session"))
        if not query.hidden:
            rows = rows.filter(hidden_at=None)
        return self.page(rows, MessageAnswer.of, order=["-seq"], query=query)
