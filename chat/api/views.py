"""OpenAI's protocol: its clients need only our address and a key."""

from functools import partial
from itertools import chain
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from rest_framework.request import Request
from rest_framework.response import Response

from chat.answering import Answering, here, in_database_threads
from chat.api.schemas import ChatBody, ChatCompletion, ModelAnswer, ModelList, OpenAIError
from chat.badge import take_early
from chat.idempotency import again, rapport_of, told_before
from chat.identity import unknown_model, who_talks
from chat.messages import read_messages
from chat.problems import in_openai_shape, response_of
from chat.requests import ask
from chat.wire import Envelope, delta_of_whole
from relationships.api.views import ApiView
from relationships.models import Companion, Turn
from relationships.services.idempotency import earlier_resource
from web.authentication import Credentials
from web.deferred import LaterResponse, can_wait
from web.operations import operation
from web.problems import problem
from web.rendering import OrjsonRenderer
from web.streams import event_stream

TAG = "Chat"
EXAMPLE = {
    "model": "ada",
    "messages": [{"role": "user", "content": "What should I cook tonight?"}],
    "user": "maya",
}


class OpenAIView(ApiView):
    """A view whose errors have OpenAI's format, with the problem inside."""

    open_to_tokens = True
    token_is_the_address = True
    error_shape = OpenAIError

    def handle_exception(self, exc: Exception) -> Any:
        answer = super().handle_exception(exc)
        if answer.status_code < 400 or getattr(answer, "tells_an_error", False):
            return answer  # already in OpenAI's format
        return in_openai_shape(answer, bad_input=400 if self.request.method == "POST" else 422)


class ModelsView(OpenAIView):
    @operation("models_list", "List companions as models", answers={200: ModelList})
    def get(self, request: Request) -> Response:
        """A model's name is a companion's slug. A relationship token sees only its own companion."""
        rows = _companions(self.credentials).order_by("slug")
        return self.answer({"object": "list", "data": [_as_model(row) for row in rows[:1000]]})


class ModelView(OpenAIView):
    @operation("models_read", "Read a companion as a model", answers={200: ModelAnswer}, problems=(404,))
    def get(self, request: Request, model: str) -> Response:
        """The same as in the list of models."""
        row = _companions(self.credentials).filter(slug=model).first()
        if row is None:
            raise unknown_model(model)
        return self.answer(_as_model(row))


def _companions(credentials: Credentials) -> QuerySet[Companion]:
    rows = Companion.objects.of_project(credentials.project_id)
    if credentials.relationship_id is None:
        return rows
    return rows.filter(relationships__id=credentials.relationship_id)


def _as_model(row: Companion) -> dict[str, Any]:
    created = int(row.created_at.timestamp())
    return {"id": row.slug, "object": "model", "created": created, "owned_by": row.name}


class ChatView(OpenAIView):
    rereads_key = ("POST",)
    counts_as: ClassVar = {"POST": "turns"}

    def max_body_bytes(self) -> int:
        limit: int = settings.MAX_CHAT_BYTES
        return limit

    @operation(
        "chat_completions",
        "Have a companion reply",
        body=ChatBody,
        answers={200: ChatCompletion},
        idempotent=True,
        streams=True,
        problems=(404, 502),
        example=EXAMPLE,
    )
    def post(self, request: Request) -> HttpResponseBase:
        """OpenAI's chat completions: the context is put before the messages, the reply comes complete or as a stream,
        and the exchange is remembered as a turn. Fields that are not described here are passed on to the model.
        """
        raw = self.json()
        body = ChatBody.read(raw)
        if self.credentials.relationship_id is not None:
            body.refuse_prompt()
        sent = read_messages(raw["messages"])
        talk = who_talks(self.credentials, request.headers, raw)
        idempotency = self.idempotency() if talk.remembered else None
        if idempotency and (turn_id := earlier_resource(talk.relationship.id, idempotency)):
            return _again(talk.relationship.id, turn_id, body)
        question = ask(
            talk,
            sent,
            by=self.actor,
            tools=raw.get("tools") or [],
            options=body.options(raw),
            idempotency=idempotency,
            wait=body.rapport.wait_for_memory,
            replaces=body.rapport.replaces,
        )
        early = take_early(question)
        waits = can_wait(request._request)
        answering = Answering(
            question,
            Envelope(body.model, body.wants_usage),
            in_database=in_database_threads if waits else here,
            early=early,
        )
        answer = partial(_answer, answering, bool(body.stream), request)
        # A client that left may come back for a complete reply if it sent an Idempotency-Key.
        comes_back = idempotency is not None and not body.stream
        return LaterResponse(answer, made_to_the_end=comes_back) if waits else answer()


def _answer(answering: Answering, stream: bool, request: Request) -> HttpResponseBase:
    try:
        if not stream:
            return _json(answering.whole())
        first = answering.begin()
    except Exception as error:
        return response_of(error, request)
    return event_stream(answering.stream(first))


def _again(relationship_id: UUID, turn_id: UUID, body: ChatBody) -> HttpResponseBase:
    """The stored reply to a call that was answered before."""
    turn = Turn.objects.for_relationship(relationship_id).get(id=turn_id)
    envelope = Envelope(body.model, body.wants_usage, created=int(turn.recorded_at.timestamp()))
    if not body.stream:
        return _json(again(envelope, turn))
    told = told_before(relationship_id, turn.id)
    first = envelope.chunk(delta_of_whole(told))
    return event_stream(chain([first], envelope.ending(told.finish, told.usage, rapport_of(turn))))


@csrf_exempt
def not_served(request: HttpRequest) -> HttpResponse:
    """OpenAI's calls that Rapport does not have, in the format that its clients can show."""
    told = "Of OpenAI's protocol, Rapport has only /v1/chat/completions and /v1/models."
    return in_openai_shape(problem(404, "not_found", told))


def _json(data: Any) -> HttpResponse:
    return HttpResponse(OrjsonRenderer().render(data), content_type="application/json")
