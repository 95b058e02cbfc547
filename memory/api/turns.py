from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.answers import (
    NOT_SETTLED,
    DueAnswer,
    TurnAnswer,
    TurnTraceAnswer,
    present_trace,
    present_turn,
)
from memory.api.schemas import TraceQuery, TurnBody, TurnListQuery, WaitQuery
from memory.entries.held_deletions import held_of_turns
from memory.ingestion.intake import accept_turn, ingest_now, retry_turn
from memory.ingestion.results import emptied
from memory.mending.forgotten import Forgotten
from memory.mending.plans import awaiting_of_turns
from memory.models import EntryRevision, HeldState, ModelCall, OperationResult
from relationships.api.views import ApiView
from relationships.models import Message, Relationship, Turn, TurnState
from relationships.services.rows import require
from relationships.services.turns import NewMessage, NewTurn
from web.fields import Page
from web.operations import operation
from web.pagination import page_of
from worker.waiting import waiting_place

TAG = "Turns"

SETTLED = frozenset({TurnState.APPLIED, TurnState.SKIPPED, TurnState.FAILED})


class TurnsView(ApiView):
    open_to_tokens = True
    rereads_key = ("POST",)
    counts_as: ClassVar = {"POST": "turns"}

    @operation("turns_list", "List turns, newest first", answers={200: Page[TurnAnswer]})
    def get(self, request: Request, relationship_id: UUID, query: TurnListQuery) -> Response:
        rows = self.owned(Turn, relationship_id).filter(**query.given("state", "session"))
        page = page_of(rows, order=["-seq"], page=query)
        awaiting = _awaiting_review(relationship_id, page["items"])
        page["items"] = [present_turn(turn, awaiting_review=awaiting[turn.id]) for turn in page["items"]]
        return self.answer(page)

    @operation(
        "turns_create",
        "Hand over a turn to be remembered",
        answers={200: TurnAnswer, 202: TurnAnswer},
        idempotent=True,
        problems=(404,),
    )
    def post(self, request: Request, relationship_id: UUID, query: WaitQuery, body: TurnBody) -> Response:
        """Answers 202 as soon as the turn is stored. With `wait`, it answers 200 if the turn is settled in time."""
        self.own_level(body.config)
        accepted = accept_turn(
            relationship=Relationship(id=relationship_id, project_id=self.project_id),
            new=_new_turn(body),
            idempotency=self.idempotency(),
            key=self.credentials.remembered,
        )
        turn = accepted.turn
        if query.wait and turn.state not in SETTLED:
            turn = _wait(turn, min(query.wait, settings.MAX_WAIT_SECONDS))
        settled = turn.state in SETTLED
        remembered = _remembered(turn) if settled else None
        awaiting = _awaiting_review(relationship_id, [turn])[turn.id]
        shown = present_turn(turn, remembered, awaiting_review=awaiting)
        return self.answer(shown, status=200 if query.wait and settled else 202)


class TurnView(ApiView):
    open_to_tokens = True

    @operation("turns_read", "Read a turn's full trace", answers={200: TurnTraceAnswer})
    def get(self, request: Request, relationship_id: UUID, turn_id: UUID, query: TraceQuery) -> Response:
        """Messages, each proposed operation with its verdict, and every model call with its exact prompt.

        A relationship token does not see the model calls and the configuration, which belong to the developer.
        """
        self.get_relationship(relationship_id)
        turn = _turn(relationship_id, turn_id)
        calls = ModelCall.objects.for_relationship(relationship_id).filter(id__in=turn.model_call_ids)
        messages = Message.objects.for_relationship(relationship_id).filter(turn_id=turn_id)
        traced = (
            _remembered(turn),
            list(messages.order_by("seq")),
            list(OperationResult.objects.for_relationship(relationship_id).of_turn(turn_id)),
            [] if self.credentials.relationship_id else list(calls.order_by("recorded_at", "id")),
        )
        if not query.hidden:
            _leave_out_hidden(turn, *traced)
        awaiting = _awaiting_review(relationship_id, [turn])[turn_id]
        shown = present_trace(turn, *traced, awaiting_review=awaiting)
        return self.answer(self.without_configuration(shown, config={}))


def _leave_out_hidden(
    turn: Turn,
    remembered: list[EntryRevision],
    messages: list[Message],
    operations: list[OperationResult],
    calls: list[ModelCall],
) -> None:
    """Remove from a turn's trace what was hidden since: the text itself, and what quotes it. Nothing is written."""
    forgotten = Forgotten.of(turn.relationship_id)
    messages[:] = [message for message in messages if message.id not in forgotten.messages]
    if turn.id in forgotten.turns:
        turn.error = ""
    for revision in remembered:
        if forgotten.in_revision(revision.entry_id, revision.entry_version):
            revision.after = None
    for result in operations:
        if forgotten.in_operation(result.message_ids, result.entry_id):
            result.operation, result.reason = emptied(result.operation), ""
    for call in calls:
        shown = [*call.shown_message_ids, *call.reference_message_ids, *call.shown_entry_ids]
        if forgotten.in_call(call.purpose, shown, call.turn_ids):
            call.system = call.prompt = call.answer = call.error = ""


class RetryTurnView(ApiView):
    counts_as: ClassVar = {"POST": "turns"}

    @operation(
        "turns_retry",
        "Try a failed, skipped or waiting turn again",
        answers={202: TurnAnswer},
        problems=(409,),
    )
    def post(self, request: Request, relationship_id: UUID, turn_id: UUID) -> Response:
        """The turn keeps its place and date: entries with newer facts stay unchanged."""
        self.get_relationship(relationship_id)
        turn = retry_turn(relationship_id=relationship_id, turn_id=turn_id)
        return self.answer(present_turn(turn), status=202)


class IngestView(ApiView):
    counts_as: ClassVar = {"POST": "turns"}

    @operation("turns_ingest", "Read now the turns that wait for their trigger", answers={202: DueAnswer})
    def post(self, request: Request, relationship_id: UUID) -> Response:
        self.get_relationship(relationship_id)
        return self.answer({"due": ingest_now(relationship_id=relationship_id)}, status=202)


def _new_turn(body: TurnBody) -> NewTurn:
    times = [message.occurred_at for message in body.messages if message.occurred_at]
    latest = max(times) if len(times) == len(body.messages) else timezone.now()
    return NewTurn(
        messages=[NewMessage(m.role, m.content, m.speaker, m.occurred_at, m.metadata) for m in body.messages],
        occurred_at=body.occurred_at or latest,
        session=body.session,
        config=body.config,
        tags=body.tags,
        category=body.category,
        modality=body.modality,
    )


def _turn(relationship_id: UUID, turn_id: UUID) -> Turn:
    turn: Turn = require(Turn.objects.for_relationship(relationship_id).filter(id=turn_id), "turn")
    return turn


def _wait(turn: Turn, seconds: float) -> Turn:
    """The turn once it is settled, or as it is after `seconds`; at once if too many requests wait already."""
    with waiting_place(turn.id) as place:
        current = _turn(turn.relationship_id, turn.id)
        if place is None or current.state in SETTLED:
            return current
        place.wait(seconds)
    return _turn(turn.relationship_id, turn.id)


def _awaiting_review(relationship_id: UUID, turns: Sequence[Turn]) -> dict[UUID, Mapping[str, Any]]:
    held = held_of_turns(relationship_id=relationship_id, turns=turns)
    plans = awaiting_of_turns(relationship_id, turns)
    return {
        turn.id: {
            "deletions_awaiting_review": held.get(turn.id, {}).get(HeldState.WAITING, 0),
            "plans_awaiting_review": plans.get(turn.id, []),
        }
        if turn.state in SETTLED
        else NOT_SETTLED
        for turn in turns
    }


def _remembered(turn: Turn) -> list[EntryRevision]:
    found: Any = EntryRevision.objects.for_relationship(turn.relationship_id).filter(turn_id=turn.id)
    return list(found.order_by("seq"))
