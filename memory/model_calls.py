"""Call a model, and store and count the call."""

from collections.abc import Collection, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import Any
from uuid import UUID, uuid4

from django.db.models import QuerySet

from config.postgresql.rows import insert_of
from config.postgresql.sessions import execute
from memory.entries.limits import call_text
from memory.errors import UnparsableAnswer
from memory.models import ModelCall
from providers.errors import HeldBack, ProviderError
from providers.llm.base import Completion, CompletionRequest, LLMProvider
from providers.reported import count_of, name_of, storable
from relationships.ids import uuid7
from relationships.services.model_budgets import count_spending
from web.errors import Unavailable, UpstreamFailed
from worker.leases import error_place
from worker.silence import calls_in_flight
from worker.waiting import waiting_place
from worker.worker_stats import count_model_call, model_call

INSERT_CALLS = insert_of(ModelCall, "asked")  # for the statement that settles a batch of turns


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call that was made: its row, not yet stored, and its result. A failure may come with an answer."""

    row: ModelCall
    completion: Completion | None
    failure: Exception | None

    def answer(self) -> Completion:
        """Raises what the call failed with."""
        if self.failure is not None:
            raise self.failure
        assert self.completion is not None, "a call without a failure has an answer"
        return self.completion


@contextmanager
def asking_for_a_request() -> Iterator[None]:
    """Wrap calls that a request waits for. It occupies a thread, and counts like one that waits for a turn.

    Raises Unavailable, and UpstreamFailed for what models raise.
    """
    with waiting_place(uuid4()) as place:
        if place is None:
            raise Unavailable("Too many requests are waiting for a model; try again in a moment.")
        try:
            yield
        except (ProviderError, UnparsableAnswer) as error:
            raise UpstreamFailed(f"The model gave no usable answer: {storable(str(error))}") from error


def make_call(provider: LLMProvider, request: CompletionRequest, **columns: Any) -> MadeCall:
    """Call the model and make the row. `columns`: its owner, its purpose, and what it showed. Raises HeldBack, if the
    model was not asked, and nothing else.
    """
    started = perf_counter()
    completion: Completion | None = None
    failure: Exception | None = None
    try:
        with calls_in_flight.call(columns["project_id"], provider.alias), model_call():
            completion = provider.complete(request)
    except HeldBack:
        raise
    except Exception as error:  # even what no provider may raise: the caller raises it again
        failure, completion = error, getattr(error, "completion", None)
    milliseconds = (perf_counter() - started) * 1000
    return MadeCall(
        _call_row(provider, request, completion, failure, milliseconds, **columns), completion, failure
    )


def store_made_calls(calls: Sequence[MadeCall], *, now: datetime) -> None:
    """Insert the calls, without what was erased meanwhile, and count them for their project. Call it under the
    relationship's row lock, and late in the transaction, as it locks that count.
    """
    if calls:
        rows = [call.row for call in calls]
        leave_out_erased(rows, now=now)
        ModelCall.objects.bulk_create(rows)
        count_made_calls(calls, now=now)


def leave_out_erased(rows: Sequence[ModelCall], *, now: datetime, erased: Set[UUID] | None = None) -> None:
    """Empty the texts of calls that show what was erased while the model answered; call it under the relationship's row
    lock. `erased`: the IDs, if they were already read in this transaction.
    """
    shown = [{*row.shown_entry_ids, *row.shown_message_ids, *row.reference_message_ids} for row in rows]
    if erased is None and any(shown):
        erased = erased_of(rows[0].relationship_id, set[UUID]().union(*shown))
    for row, ids in zip(rows, shown, strict=True):
        if ids & (erased or set()):
            empty(row, now=now)


def empty(row: ModelCall, *, now: datetime) -> None:
    """Take the texts out of a call that is not stored yet."""
    row.system = row.prompt = row.answer = row.error = ""
    row.redacted_at = now


def erased_of(relationship_id: UUID, ids: Collection[UUID]) -> set[UUID]:
    """Of these entries and messages, those that no longer exist, and those whose text was erased."""
    alive = execute(
        "SELECT id FROM memory_scratchpadentry WHERE relationship_id = %(r)s AND id = ANY(%(ids)s) "
        "UNION ALL SELECT id FROM relationships_message "
        "WHERE relationship_id = %(r)s AND id = ANY(%(ids)s) AND erased_at IS NULL",
        {"r": relationship_id, "ids": list(ids)},
    )
    return set(ids) - {row[0] for row in alive}


def count_made_calls(calls: Sequence[MadeCall], *, now: datetime) -> None:
    """Only count the calls, as what they quote may not be stored."""
    if calls:
        count_spending(
            calls[0].row.project_id,
            [call.completion for call in calls],
            answered=any(not call.row.error_code for call in calls),
            now=now,
        )


def erase_calls(calls: QuerySet[ModelCall], now: datetime) -> None:
    """Empty what these calls quote."""
    calls.update(system="", prompt="", answer="", error="", redacted_at=now)


def _call_row(
    provider: LLMProvider,
    request: CompletionRequest,
    completion: Completion | None,
    failure: Exception | None,
    milliseconds: float,
    **columns: Any,
) -> ModelCall:
    """Make a call's row, without saving it, and count it for /metrics."""
    named = completion.model if completion else (request.model or provider.default_model)
    count_model_call(
        prompt_tokens=completion.prompt_tokens if completion else None,
        output_tokens=completion.output_tokens if completion else None,
        failed=failure is not None,
    )
    return ModelCall(
        id=uuid7(),
        provider=provider.alias,
        model=name_of(named),
        system=call_text(storable(request.system)),
        prompt=call_text(_asked(request)),
        answer=call_text(completion.text) if completion else "",
        prompt_tokens=count_of(completion.prompt_tokens) if completion else None,
        output_tokens=count_of(completion.output_tokens) if completion else None,
        cost=completion.cost if completion else None,
        milliseconds=round(milliseconds, 3),
        **_went_wrong(failure),
        **columns,
    )


def _went_wrong(failure: Exception | None) -> dict[str, str]:
    if failure is None:
        return {"error_code": "", "error": ""}
    if isinstance(failure, ProviderError):
        return {"error_code": failure.code, "error": storable(str(failure))[:2000]}
    return {"error_code": "internal_error", "error": error_place(failure)}


def _asked(request: CompletionRequest) -> str:
    """The whole prompt as one text, including the messages of the repair round."""
    turns = [request.prompt, *(f"--- {role} ---\n{text}" for role, text in request.history)]
    return storable("\n\n".join(turns))
