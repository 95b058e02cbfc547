"""Replies to a message as the companion would: assemble the context, ask the model, hand the turn over."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from django.conf import settings
from django.db import connection

from context.answer import AssembledContext, ChatMessage
from context.pipeline import build_context
from memory.ingestion.intake import accept_turn
from providers.errors import ProviderError
from providers.llm.base import Completion, CompletionRequest, LLMProvider
from providers.llm.registry import get_provider
from relationships.models import Relationship, Turn
from relationships.services.configuration import configuration_of
from relationships.services.limits import message_fault
from relationships.services.model_budgets import count_spending, require_model_budget
from relationships.services.turns import NewMessage, NewTurn
from web.errors import InvalidInput, Unavailable, UpstreamFailed

MOST_OUTPUT_TOKENS = 2000
MARK = "[No model is set up, so this is no reply of one.]"
LINES = 8  # of what is remembered that are quoted
_taken = 0
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Reply:
    """What the companion said, and to what. `offline`: no model wrote it. The turn is handed to the workers."""

    text: str
    provider: str
    model: str
    offline: bool
    milliseconds: float
    turn: Turn
    context: AssembledContext


def reply(*, relationship: Relationship, message: str, session: str, now: datetime | None = None) -> Reply:
    """Load `relationship` with its companion, user and project.

    Raises InvalidInput, BudgetSpent; Unavailable when as many replies are being written as may be;
    UpstreamFailed when the model gave none: then nothing is stored, and the message can be sent again.
    """
    now = now or datetime.now(UTC)
    _check(message)
    with _place():
        context = build_context(
            project_id=relationship.project_id,
            relationship_id=relationship.id,
            message=message,
            session=session,
            explain=True,
            now=now,
        )
        spoken = _ask(relationship, context)
    said = [NewMessage("user", message), NewMessage("assistant", spoken.text)]
    accepted = accept_turn(relationship=relationship, new=NewTurn(said, occurred_at=now, session=session))
    return replace(spoken, turn=accepted.turn)


def _ask(relationship: Relationship, context: AssembledContext) -> Reply:
    alias = configuration_of(relationship).values.context.provider or settings.DEFAULT_LLM_PROVIDER
    try:
        provider = get_provider(alias)
        if provider.kind == "offline":
            text = offline_reply(context, user=str(relationship.user))
            return Reply(text, alias, provider.default_model, True, 0.0, Turn(), context)
        require_model_budget(relationship.project_id)
        completion = _complete(provider, _question(context), relationship)
    except ProviderError as error:
        raise UpstreamFailed(f"The model gave no reply: {error}") from error
    text = completion.text.replace("\x00", "").strip()
    if fault := message_fault(text):
        raise UpstreamFailed(f"The model gave no reply that can be kept: it {fault}.")
    return Reply(text, alias, completion.model, False, completion.milliseconds, Turn(), context)


def _complete(provider: LLMProvider, question: CompletionRequest, relationship: Relationship) -> Completion:
    """Ask, and count what it took, whether or not the answer is of use."""
    completion: Completion | None = None
    answered = False
    try:
        completion, answered = provider.complete(question), True
        return completion
    except ProviderError as error:
        completion = error.completion
        raise
    finally:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()  # a model takes its time: it may have been cut off
        count_spending(relationship.project_id, [completion], answered=answered, now=datetime.now(UTC))


def _question(context: AssembledContext) -> CompletionRequest:
    """The context as one question. A history that began with the companion would be taken for an answer to it."""
    *earlier, last = context.messages
    return CompletionRequest(
        system=context.system,
        prompt=last["content"],
        schema=None,
        history=tuple((line["role"], line["content"]) for line in _from_the_person(earlier)),
        max_output_tokens=MOST_OUTPUT_TOKENS,
    )


def _from_the_person(messages: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
    first = next((place for place, line in enumerate(messages) if line["role"] == "user"), len(messages))
    return messages[first:]


def _check(message: str) -> None:
    if fault := message_fault(message):
        raise InvalidInput.of("message", fault)


@contextmanager
def _place() -> Iterator[None]:
    """One of the places of this process for replies: who waits for a model holds a thread that answers the API."""
    global _taken
    with _lock:
        if _taken >= max(1, settings.MAX_WAITERS):
            raise Unavailable("As many replies are being written as may be at once. Try again in a moment.")
        _taken += 1
    try:
        yield
    finally:
        with _lock:
            _taken -= 1


def offline_reply(context: AssembledContext, *, user: str) -> str:
    """Says what a model would know. `user`: the person's name."""
    known = [line.removeprefix("- ") for line in context.system.splitlines() if line.startswith("- ")]
    if not known:
        return f"{MARK} Nothing is remembered of {user} yet; tell me something about yourself."
    lines = "\n".join(f"- {line}" for line in known[:LINES])
    more = f"\n... and {len(known) - LINES} more" if len(known) > LINES else ""
    return f"{MARK} What a model would know of {user} now:\n{lines}{more}"
