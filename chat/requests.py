"""Turns a call of the endpoint into a question for the model: withdraws what is replaced, and builds the context."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from chat.identity import Talk
from chat.messages import (
    Message,
    Sent,
    compose,
    refuse_unkeepable,
    speaker_of,
    told_of,
    without_calls,
)
from chat.replacing import withdraw
from chat.replies import Question
from context.answer import AssembledContext, ChatMessage
from context.formats import alternating
from context.pipeline import build_context
from context.text import NOTES, without_notes
from memory.fence import cut_fenced
from relationships.models import EndUser, Project
from relationships.services.configuration import configuration_of
from relationships.services.idempotency import Idempotency
from relationships.services.model_budgets import has_budget, require_model_budget
from relationships.text_names import means_person, name_in_text
from web.actor import Actor


def ask(
    talk: Talk,
    sent: Sent,
    *,
    by: Actor,
    tools: Sequence[Message] = (),
    options: Mapping[str, Any] | None = None,
    idempotency: Idempotency | None = None,
    wait: float | None = None,
    replaces: UUID | None = None,
    turn_id: UUID | None = None,
    now: datetime | None = None,
) -> Question:
    """Prepare the question. `replaces`: the turn that this one replaces; `turn_id`: the ID of the turn to be made.

    Raises InvalidInput, BudgetSpent, NotFound.
    """
    relationship = talk.relationship
    if talk.remembered:
        refuse_unkeepable(sent, most=settings.MAX_MESSAGES_PER_TURN - 1)
    configuration = configuration_of(relationship).values
    _require_budget(relationship.project, configuration.context.provider or settings.DEFAULT_LLM_PROVIDER)
    if talk.remembered:
        sent = withdraw(talk, sent, replaces=replaces, by=by, idempotency=idempotency)
    now = now or datetime.now(UTC)  # after the withdrawal, so that the same words can be said again
    context = build_context(
        project_id=relationship.project_id,
        relationship_id=relationship.id,
        message=sent.message or None,
        session=talk.session,
        now=now,
        conversation={told_of(one).strip() for one in sent.conversation} if sent.owns_history else None,
        stored=talk.remembered,
    )
    return Question(
        relationship=relationship,
        configuration=configuration,
        session=talk.session,
        messages=compose(sent, system=context.system, earlier=_earlier(context, sent, relationship.user)),
        new=sent.new,
        context=context,
        by=by,
        now=now,
        remembered=talk.remembered,
        tools=tools,
        options=options or {},
        idempotency=idempotency,
        wait=wait,
        turn_id=turn_id,
    )


def _require_budget(project: Project, provider: str) -> None:
    if provider != "offline" and has_budget(project.daily_tokens, project.daily_usd):
        require_model_budget(project.id)


def _earlier(context: AssembledContext, sent: Sent, user: EndUser) -> list[Message]:
    """The stored messages, without the last ones if the client sends them again: they had no reply, or its tools were
    called in it. Their roles alternate, as not every server accepts anything else.
    """
    shown = (line for report in context.layers if report.name != "current" for line in report.messages)
    earlier = [ChatMessage(role=line["role"], content=words) for line in shown if (words := _words_of(line))]
    again = [ways for message in sent.asked if (ways := _as_shown(message, user))]
    for count in range(min(len(again), len(earlier)), 0, -1):
        if all(one in ways for one, ways in zip(earlier[-count:], again[:count], strict=True)):
            del earlier[-count:]
            break
    return [*map(dict, alternating(earlier))]


def _as_shown(message: Message, user: EndUser) -> list[ChatMessage]:
    """How a message is shown once it is stored: as it is, or after its speaker's name; the result of a tool after a
    mark. Empty for a reply that consists of calls.
    """
    said, name = without_notes(cut_fenced(told_of(message))[0]), speaker_of(message)
    if message["role"] == "assistant":
        said = without_calls(said)
        return [ChatMessage(role="assistant", content=said)] if said else []
    if message["role"] == "tool":
        return [ChatMessage(role="user", content=NOTES["tool"] + said)]
    other = "" if means_person(name, str(user)) else name
    named = f"{name_in_text(other, user.display_name, user.external_id)}: {said}"
    return [ChatMessage(role="user", content=content) for content in (said, named)]


def _words_of(line: ChatMessage) -> str:
    return without_calls(line["content"]) if line["role"] == "assistant" else line["content"]
