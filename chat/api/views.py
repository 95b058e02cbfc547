"""OpenAI's protocol: its clients need only our address and a key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from chat.api.schemas import ChatBody, ChatCompletion, ModelAnswer, ModelList, OpenAIError, RapportWishes
from chat.badge import take_early
from chat.idempotency import again, rapport_of, told_before
from chat.identity import Talk, unknown_model, who_talks
from chat.messages import Message, Sent, read_messages
from chat.problems import in_openai_shape, response_of
from chat.requests import ask
from chat.wire import AnswerForm, Envelope, part_of_whole
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


@dataclass(frozen=True, slots=True)
class Asked:
    """A call for a reply, in whichever of OpenAI's protocols. `tools`, `options`: in the format of chat completions."""

    talk: Talk
    sent: Sent
    form: AnswerForm
    stream: bool
    tools: Sequence[Message]
    options: Mapping[str, Any]
    wishes: RapportWishes
    turn_id: UUID | None = None


class ReplyView(OpenAIView):
    """Has a companion reply."""

    rereads_key = ("POST",)
    counts_as: ClassVar = {"POST": "turns"}

    def max_body_bytes(self) -> int:
        limit: int = settings.MAX_CHAT_BYTES
        return limit

    def reply(self, asked: Asked) -> HttpResponseBase:
        """Answer the call, or repeat the answer if it came before with its Idempotency-Key."""
        talk, request = asked.talk, self.request
        idempotency = self.idempotency() if talk.remembered else None
        if idempotency and (turn_id := earlier_resource(talk.relationship.id, idempotency)):
            return _again(talk.relationship.id, turn_id, asked)
        question = ask(
            talk,
            asked.sent,
            by=self.actor,
            tools=asked.tools,
            options=asked.options,
            idempotency=idempotency,
            wait=asked.wishes.wait_for_memory,
            replaces=asked.wishes.replaces,
            turn_id=asked.turn_id,
        )
        early = take_early(question)
        waits = can_wait(request._request)
        in_database = in_database_threads if waits else here
        answering = Answering(question, asked.form, in_database=in_database, early=early)
        answer = partial(_answer, answering, asked.stream, request)
        # A client that left may come back for a complete reply if it sent an Idempotency-Key.
        comes_back = idempotency is not None and not asked.stream
        return LaterResponse(answer, made_to_the_end=comes_back) if waits else answer()


class ChatView(ReplyView):
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
        asked = Asked(
            talk=who_talks(self.credentials, request.headers, raw),
            sent=sent,
            form=Envelope(body.model, body.wants_usage),
            stream=bool(body.stream),
            tools=raw.get("tools") or [],
            options=body.options(raw),
            wishes=body.rapport,
        )
        return self.reply(asked)


def _answer(answering: Answering, stream: bool, request: Request) -> HttpResponseBase:
    try:
        if not stream:
            return _json(answering.whole())
        first = answering.begin()
    except Exception as error:
        return response_of(error, request)
    return event_stream(answering.stream(first))


def _again(relationship_id: UUID, turn_id: UUID, asked: Asked) -> HttpResponseBase:
    """The stored reply to a call that was answered before."""
    turn = Turn.objects.for_relationship(relationship_id).get(id=turn_id)
    if not asked.stream:
        return _json(again(asked.form, turn))
    told, form = told_before(relationship_id, turn.id), asked.form.earlier(turn)
    return event_stream(chain(form.begin(part_of_whole(told)), form.end(told, rapport_of(turn))))


@csrf_exempt
def not_served(request: HttpRequest) -> HttpResponse:
    """OpenAI's calls that Rapport does not have, in the format that its clients can show."""
    told = "Of OpenAI's protocol, Rapport has only /v1/chat/completions, /v1/responses and /v1/models."
    return in_openai_shape(problem(404, "not_found", told))


def _json(data: Any) -> HttpResponse:
    return HttpResponse(OrjsonRenderer().render(data), content_type="application/json")
