"""From a call of the endpoint to the question for the model: who talks, what they said, and the context of it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from django.conf import settings

from chat.identity import Talk
from chat.messages import Message, Sent, compose, refuse_unkeepable
from chat.replies import Question
from context.answer import AssembledContext
from context.pipeline import build_context
from memory.fence import cut_fenced
from memory.ingestion.intake import Idempotency, accept_turn
from relationships.models import Message as Stored
from relationships.models import Turn
from relationships.services.configuration import configuration_of
from relationships.services.model_budgets import require_model_budget
from relationships.services.turns import NewTurn
from web.actor import Actor

AT_ONCE = frozenset({"classifier"})  # strategies that read the person's message alone


def ask(
    talk: Talk,
    sent: Sent,
    *,
    by: Actor,
    tools: list[Message] | None = None,
    options: Mapping[str, Any] | None = None,
    idempotency: Idempotency | None = None,
    wait: float | None = None,
    now: datetime | None = None,
) -> Question:
    """Raises InvalidInput, BudgetSpent, NotFound."""
    now = now or datetime.now(UTC)
    relationship = talk.relationship
    if talk.remembered:
        refuse_unkeepable(sent.new, most=settings.MAX_MESSAGES_PER_TURN - 1)
    configuration = configuration_of(relationship).values
    if (configuration.context.provider or settings.DEFAULT_LLM_PROVIDER) != "offline":
        require_model_budget(relationship.project_id)
    context = build_context(
        project_id=relationship.project_id,
        relationship_id=relationship.id,
        message=sent.message or None,
        session=talk.session,
        now=now,
    )
    messages = compose(sent, system=context.system, earlier=_earlier(context, sent))
    return Question(
        relationship=relationship,
        configuration=configuration,
        session=talk.session,
        messages=messages,
        new=sent.new,
        context=_as_shown(context, sent),
        by=by,
        now=now,
        remembered=talk.remembered,
        tools=tools or [],
        options=options or {},
        idempotency=idempotency,
        wait=wait,
    )


def take_early(question: Question) -> Turn | None:
    """Where the badge is wanted, and reading needs no reply: what the person said, so that reading begins now."""
    ingestion = question.configuration.ingestion
    if (
        question.wait is None
        or not question.remembered
        or ingestion.strategy not in AT_ONCE
        or not question.new
    ):
        return None
    if (unanswered := _unanswered(question)) is not None:
        return unanswered
    new = NewTurn(list(question.new), occurred_at=question.now, session=question.session)
    return accept_turn(relationship=question.relationship, new=new).turn


def _unanswered(question: Question) -> Turn | None:
    """The turn of the same words, where they are the last of the session: their reply never began, and the call is
    made again."""
    said, relationship_id = [(one.role, one.content) for one in question.new], question.relationship.id
    rows = Stored.objects.for_relationship(relationship_id).filter(session=question.session)
    last = list(rows.order_by("-seq")[: len(said)])[::-1]
    if [(one.role, one.content) for one in last] != said or len({one.turn_id for one in last}) > 1:
        return None
    return Turn.objects.for_relationship(relationship_id).filter(id=last[0].turn_id).first()


def _earlier(context: AssembledContext, sent: Sent) -> list[Message]:
    """The stored messages of the context, without the current one, which the client sends itself."""
    current = cut_fenced(sent.message)[0]
    earlier: list[Message] = list(context.messages)
    for place in range(len(earlier) - 1, -1, -1):
        if earlier[place]["role"] == "user" and earlier[place]["content"] == current:
            del earlier[place]
            break
    first = next((place for place, line in enumerate(earlier) if line["role"] == "user"), len(earlier))
    return earlier[first:]  # one that began with the companion would be an answer to nothing


def _as_shown(context: AssembledContext, sent: Sent) -> AssembledContext:
    """Without the stored messages, where the client's own stood in their place."""
    if not sent.owns_history:
        return context
    layers = [report for report in context.layers if report.name != "messages"]
    return replace(context, layers=layers, total_tokens=sum(report.tokens for report in layers))
