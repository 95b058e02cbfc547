"""Makes a relationship's owed summaries in order. Each is made from the last one and the messages since.

No transaction is open while a model answers. A worker that no longer holds the row stores nothing: a message that the
model was shown may have been erased meanwhile.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

import structlog
from django.db import transaction
from django.utils import timezone

from memory.model_calls import MadeCall, count_made_calls, make_call, store_made_calls
from memory.retrieval.index.rows import OFF_THE_RECORD
from providers.errors import AnswerTruncated, EmptyAnswer
from providers.llm.base import CompletionRequest, LLMProvider
from providers.llm.registry import provider_of
from relationships.configuration.schema import Configuration
from relationships.models import Message, Relationship
from relationships.services.configuration import configuration_of
from relationships.services.model_budgets import require_model_budget
from relationships.services.sequence import lock_relationship
from summaries.corrections import corrected_since
from summaries.models import Summary, SummaryState
from summaries.owed import TASK
from summaries.prompt import in_parts, summary_in, summary_request
from summaries.snapshot import rebuild_summary
from web.errors import Conflict
from worker.failures import Failure
from worker.leases import one_by_one

log = structlog.get_logger(__name__)

MORE_ROOM = (1, 2, 4)  # factors of the answer's token limit, raised after a truncated answer

# As in searches, leave out messages that are off the record, or that a deleted entry rests on.
_TO_BE_TOLD = f"""NOT EXISTS (SELECT 1 FROM relationships_turn t WHERE t.relationship_id =
      relationships_message.relationship_id AND t.id = relationships_message.turn_id AND {OFF_THE_RECORD})
  AND (id IN (SELECT unnest(e.source_message_ids) FROM memory_scratchpadentry e
               WHERE e.relationship_id = %s AND e.state = 'deleted')) IS NOT TRUE"""  # noqa: S608 - a constant of ours


@dataclass(slots=True)
class _Work:
    """A claimed summary, and the model calls made for it."""

    summary: Summary
    calls: list[MadeCall] = field(default_factory=list)


def make_summaries(*, relationship_id: UUID, worker: str) -> int:
    """Make owed summaries until there are none, one has to wait, or other relationships wait. Returns how many."""
    rows = Summary.objects.for_relationship(relationship_id).next_in_line()
    return one_by_one(rows, worker=worker, task=TASK, do=lambda summary: _make(_Work(summary)))


def _make(work: _Work) -> bool:
    """Make one. Returns False if it has to wait, or is no longer ours."""
    try:
        base, text = _text_of(work)
    except Exception as error:
        return _give_back(work, Failure.of(error, attempts=work.summary.attempts))
    state = {"state": SummaryState.READY, "text": text, "extends": base and base.id}
    return _settle(work, **state, made_at=timezone.now(), error="", error_code="")


def _text_of(work: _Work) -> tuple[Summary | None, str]:
    """Return the summary that this one extends, and the new text. Raises ProviderError, RapportError."""
    summary = work.summary
    rows = Relationship.objects.select_related("companion", "project", "user")
    relationship = rows.filter(id=summary.relationship_id).first()
    if relationship is None:
        return None, ""  # erased, together with the row
    configuration = configuration_of(relationship).values
    options = configuration.summaries
    if not options.enabled:
        raise Conflict("Summaries are off here (summaries.enabled).")
    known = Summary.objects.for_relationship(relationship.id).ready()
    base: Summary | None = known.filter(messages__lt=summary.messages).newest_first().first()
    messages = _messages_since(base, summary, configuration.ingestion.roles)
    corrected = corrected_since(relationship.id, base)
    provider, model = _provider_of(configuration)
    text = base.text if base else ""
    for part in in_parts(messages):
        request = summary_request(
            relationship,
            template=options.prompt,
            words=options.words,
            model=model,
            last=text,
            messages=part,
            corrected=[entry.content for entry in corrected],
        )
        if request.prompt_data and request.prompt_data.messages:
            shown = {"shown_message_ids": [message.id for message in part]}
            shown["shown_entry_ids"] = [entry.id for entry in corrected]
            text = _ask(work, provider, request, shown)
    return base, text


def _messages_since(base: Summary | None, summary: Summary, roles: Sequence[str]) -> list[Message]:
    """The messages since `base`, without those that must not be summarised."""
    said = Message.objects.for_relationship(summary.relationship_id).filter(
        seq__gt=base.last_seq if base else 0,
        seq__lte=summary.last_seq,
        erased_at=None,
        hidden_at=None,
        role__in=roles,
    )
    told = said.extra(where=[_TO_BE_TOLD], params=[summary.relationship_id])  # noqa: S610 - a constant of ours
    return list(told.order_by("seq"))


def _provider_of(configuration: Configuration) -> tuple[LLMProvider, str | None]:
    """The provider and the model to ask. Raises ProviderError."""
    options, ingestion = configuration.summaries, configuration.ingestion
    same = options.provider in (None, ingestion.provider)
    provider = provider_of(options.provider, ingestion.provider)
    return provider, options.model or (ingestion.model if same else None)


def _ask(
    work: _Work, provider: LLMProvider, request: CompletionRequest, shown: Mapping[str, Sequence[UUID]]
) -> str:
    """Ask the model. Raises ProviderError, BudgetSpent."""
    summary = work.summary
    call: MadeCall | None = None
    for times in MORE_ROOM:
        require_model_budget(summary.project_id)
        room = (request.max_output_tokens or 0) * times
        call = make_call(
            provider,
            replace(request, max_output_tokens=room),
            **summary.owner,
            purpose="summary",
            turn_ids=[],
            **shown,
        )
        work.calls.append(call)
        if not isinstance(call.failure, AnswerTruncated):
            break
    assert call is not None, "it was asked at least once"
    text = summary_in(call.answer().text)
    if not text:
        raise EmptyAnswer("The model answered with no summary.")
    return text


def _give_back(work: _Work, failure: Failure) -> bool:
    ids = {"summary_id": str(work.summary.id)}
    if failure.is_ours:
        log.error("unexpected error", event_name="summary.internal_error", where=failure.error, **ids)
    else:
        waits = failure.delay
        log.warning("a summary failed", event_name="summary.not_made", code=failure.code, waits=waits, **ids)
    if failure.delay is None:
        # The next summary extends the previous one.
        told = {"error": failure.error, "error_code": failure.code}
        return _settle(work, state=SummaryState.FAILED, **told)
    with _held(work) as values:
        if values:
            failure.release(work.summary.held_row(), **values)
    return False


def _settle(work: _Work, **values: Any) -> bool:
    """Settle the summary and show it. Returns False, and stores nothing, if it is no longer ours."""
    summary = work.summary
    with _held(work) as calls:
        if not calls:
            return False
        work.summary.held_row().settle(**values, **calls)
        rebuild_summary(**summary.owner)
    log.info("settled a summary", event_name="summary.settled", summary_id=str(summary.id))
    return True


@contextmanager
def _held(work: _Work) -> Iterator[dict[str, list[UUID]] | None]:
    """Open a transaction with the relationship and the row locked, and store the calls at its end. The columns for the
    row; None if we do not hold it any more: then the calls are only counted.
    """
    with transaction.atomic():
        locked = lock_relationship(work.summary.relationship_id)
        ours = locked and work.summary.held_row().select_for_update().exists()
        ids = [*work.summary.model_call_ids, *(call.row.id for call in work.calls)]
        yield {"model_call_ids": ids} if ours else None
        (store_made_calls if ours else count_made_calls)(work.calls, now=timezone.now())
