"""Store every call of a model: the exact prompt, the raw answer, time and tokens, and errors."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from memory.ingestion.ingestion_input import IngestionInput, ShownEntry
from memory.model_calls import MadeCall, leave_out_erased, make_call, store_made_calls
from memory.models import ModelCall
from providers.llm.base import Completion, CompletionRequest, LLMProvider
from relationships.services.model_budgets import spending_figures


@dataclass(frozen=True, slots=True)
class CallRecord(MadeCall):
    request: CompletionRequest
    given: IngestionInput


class CallLog:
    """The calls made for one batch, in order. They are stored in the transaction that settles the batch."""

    def __init__(self, provider: LLMProvider | None) -> None:
        """`provider` None: there is nothing to ask, and the log stays empty."""
        self._provider = provider
        self.waiting: list[CallRecord] = []
        self.ids: list[UUID] = []
        self.last_model = provider.default_model if provider else ""

    @property
    def inputs(self) -> list[IngestionInput]:
        """The inputs of the calls that wait to be stored."""
        return [record.given for record in self.waiting]

    @property
    def shown(self) -> dict[UUID, Sequence[ShownEntry]]:
        """The entries that each of these calls showed, in order of their numbers."""
        return {record.row.id: record.given.entries for record in self.waiting}

    @property
    def asked_for_a_model(self) -> bool:
        """Whether the last call's model was named by the project's configuration, not by the settings."""
        return bool(self.waiting and self.waiting[-1].request.model)

    def ask(self, request: CompletionRequest, given: IngestionInput, *, purpose: str) -> Completion:
        """Call the model, and remember the call if it was made. Raises ProviderError."""
        assert self._provider is not None, "a log without a provider is never asked"
        call = make_call(
            self._provider,
            request,
            relationship_id=given.relationship_id,
            project_id=given.project_id,
            purpose=purpose,
            turn_ids=[turn.id for turn in given.turns],
            prompt_version=given.instructions.version,
            shown_entry_ids=[entry.id for entry in given.entries],
            shown_message_ids=[message.id for message in given.messages],
            reference_message_ids=[message.id for message in given.references],
        )
        self.last_model = call.row.model
        self.waiting.append(CallRecord(call.row, call.completion, call.failure, request, given))
        self.ids.append(call.row.id)
        return call.answer()

    def take_for(self, completion: Completion) -> Completion:
        """Use this completion instead of the last answer, which was cut off and stays unchanged in the call's row."""
        self.waiting[-1] = replace(self.waiting[-1], completion=completion)
        return completion


def take_calls(
    log: CallLog, *, project_id: UUID, now: datetime, erased: Set[UUID] | None = None
) -> tuple[Sequence[ModelCall], Mapping[str, Any]]:
    """The waiting calls as rows, to be stored in the settling transaction, and the parameters of COUNT_SPENDING.
    `erased`: see leave_out_erased.
    """
    rows = [record.row for record in log.waiting]
    leave_out_erased(rows, now=now, erased=erased)
    completions = [record.completion for record in log.waiting]
    answered = any(not row.error_code for row in rows)
    transaction.on_commit(log.waiting.clear)  # after a rollback they wait on
    return rows, spending_figures(project_id, completions, answered=answered, now=now)


def store_calls(log: CallLog, *, now: datetime) -> None:
    """Insert and count the calls of a batch that is not settled. Call it late in the transaction, under the lock."""
    store_made_calls(log.waiting, now=now)
    transaction.on_commit(log.waiting.clear)  # after a rollback they wait on


def shown_ids(given: IngestionInput) -> set[UUID]:
    """The entries and messages whose text a model was shown."""
    messages = (*given.messages, *given.references)
    return {entry.id for entry in given.entries} | {message.id for message in messages}
