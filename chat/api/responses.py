"""OpenAI's Responses protocol: another form for the same replies."""

from dataclasses import replace
from uuid import UUID

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api.response_schemas import ResponseAnswer, ResponseBody
from chat.api.views import Asked, OpenAIView, ReplyView
from chat.idempotency import again
from chat.identity import Talk, who_talks
from chat.messages import Sent, read_messages
from chat.responses.earlier import Exchange, exchange_of, items_of
from chat.responses.ids import ReplyId, reply_of
from chat.responses.items import Item, messages_of, read_items
from chat.responses.wire import ResponseForm
from relationships.ids import uuid7
from relationships.models import Relationship, Turn
from web.errors import InvalidInput, NotFound
from web.operations import operation

EXAMPLE = {"model": "ada", "input": "What should I cook tonight?", "user": "maya"}


class ResponsesView(ReplyView):
    @operation(
        "responses_create",
        "Have a companion respond",
        body=ResponseBody,
        answers={200: ResponseAnswer},
        idempotent=True,
        streams=True,
        problems=(404, 502),
        example=EXAMPLE,
    )
    def post(self, request: Request) -> HttpResponseBase:
        """OpenAI's Responses: the same reply as by chat completions, and remembered in the same way. Fields that are
        not described here are passed on to the model.
        """
        raw = self.json()
        body = ResponseBody.read(raw)
        items = read_items(body.input)
        if self.credentials.relationship_id is not None:
            body.refuse_prompt(items)
        options = body.options(raw)
        follows = body.previous
        talk = who_talks(
            self.credentials, request.headers, body.identity, follows=follows and follows.relationship_id
        )
        talk, exchange = _followed(talk, follows)
        reply = ReplyId(talk.relationship.id, uuid7())
        asked = Asked(
            talk=talk,
            sent=_sent(body, items, exchange, talk.relationship.id),
            form=ResponseForm(reply, raw),
            stream=bool(body.stream),
            tools=body.functions(),
            options=options,
            wishes=body.rapport,
            turn_id=reply.turn_id,
        )
        return self.reply(asked)


class ResponseView(OpenAIView):
    @operation("responses_read", "Read a response again", answers={200: ResponseAnswer}, problems=(404,))
    def get(self, request: Request, response_id: str) -> Response:
        """The stored reply. If it was hidden or erased meanwhile, it has no text."""
        reply = reply_of(response_id)
        own = self.credentials.relationship_id
        if reply is None or own not in (None, reply.relationship_id):
            raise _unknown(response_id)
        turns = Turn.objects.for_relationship(reply.relationship_id).filter(id=reply.turn_id)
        turn = turns.filter(project_id=self.credentials.project_id).first()
        if turn is None:
            raise _unknown(response_id)
        owned = Relationship.objects.filter(id=reply.relationship_id).values_list(
            "companion__slug", flat=True
        )
        return self.answer(again(ResponseForm(reply, {"model": owned.get()}), turn))


def _followed(talk: Talk, follows: ReplyId | None) -> tuple[Talk, Exchange | None]:
    """The talk in the session of the response that the call follows, and that response's exchange.

    Raises NotFound, InvalidInput.
    """
    if follows is None:
        return talk, None
    exchange = exchange_of(follows) if follows.relationship_id == talk.relationship.id else None
    if exchange is None:
        raise _unknown(follows.response)
    if talk.one_chat and talk.session != exchange.session:
        raise InvalidInput.of(
            "previous_response_id", f"is of the session {exchange.session!r}, not of this one"
        )
    return replace(talk, session=exchange.session, one_chat=True), exchange


def _sent(body: ResponseBody, items: list[Item], exchange: Exchange | None, relationship_id: UUID) -> Sent:
    found = items_of(relationship_id, {item.known for item in items if item.known})
    earlier = exchange.messages if exchange else ()
    messages = messages_of(items, found, earlier=earlier)
    if body.instructions:
        messages.insert(0, {"role": "system", "content": body.instructions})
    return read_messages(messages, recalled=len(earlier), field="input")


def _unknown(response_id: str) -> NotFound:
    return NotFound(
        f"There is no response {response_id[:80]!r}. With store: false nothing is kept: send the conversation itself."
    )
