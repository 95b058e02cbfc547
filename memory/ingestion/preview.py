"""A dry run of an ingestion prompt: ask the model and judge the answer, but write nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from time import perf_counter
from uuid import UUID

from django.conf import settings
from django.db.models import Func, Sum
from django.utils import timezone

from memory.ingestion.apply import carry_out_all
from memory.ingestion.apply_state import ApplyState, open_state
from memory.ingestion.calls import CallLog
from memory.ingestion.ingestion_input import (
    MESSAGE_COLUMNS,
    IngestionInput,
    InputMessage,
    Instructions,
    ShownEntry,
    compose_input,
    input_message,
    scratchpad_of,
)
from memory.ingestion.proposals import propose_all
from memory.ingestion.templates import check_instructions
from memory.model_calls import count_made_calls
from memory.models import EntryState, OperationResult, ScratchpadEntry, Tier
from providers.llm.registry import provider_of
from providers.reported import storable
from relationships.ids import uuid7
from relationships.models import Companion, EndUser, Message, Relationship, Turn
from relationships.services.configuration import configuration_of
from relationships.services.model_budgets import require_model_budget
from relationships.services.turns import NewMessage
from web.errors import InvalidInput, NotFound


@dataclass(frozen=True, slots=True)
class Preview:
    """What a prompt would have kept. `milliseconds` of all calls; tokens and cost (USD) if they are known."""

    prompt_version: int | None
    results: list[OperationResult]
    entries: list[dict[str, str]]  # type, subject and content of each
    system: str
    prompt: str
    answers: list[str]
    prompt_tokens: int | None
    output_tokens: int | None
    cost: Decimal | None
    milliseconds: float


def preview_prompt(
    *,
    relationship: Relationship,
    instructions: Instructions,
    turn_ids: Sequence[UUID] = (),
    messages: Sequence[NewMessage] = (),
    present_entries: bool,
) -> Preview:
    """Read past turns again or, without any, a pasted conversation; `relationship` may be `nobody_of` a companion.

    Raises ProviderError, UnparsableAnswer, InvalidTemplate, BudgetSpent, NotFound.
    """
    turns, said = _past(relationship, turn_ids) if turn_ids else _pasted(relationship, messages)
    check_instructions(instructions.template)
    given = _reading(relationship, instructions, turns, said, present_entries)
    if not given.messages:
        raise InvalidInput.of("messages", "hold nothing of a role that is read (ingestion.roles)")
    require_model_budget(given.project_id)
    log = CallLog(provider_of(given.ingestion.provider))
    started = perf_counter()
    try:
        proposed = propose_all(given, log, purpose="preview")
    finally:
        count_made_calls(log.waiting, now=timezone.now())
    milliseconds = (perf_counter() - started) * 1000
    now = timezone.now()
    if present_entries:
        state, _ = open_state(proposed.given, proposed.items, now=now)
    else:
        state = ApplyState(proposed.given, now)
    carry_out_all(state, proposed.items)
    first = log.waiting[0].request if log.waiting else None  # a strategy may ask no model
    calls = [record.completion for record in log.waiting if record.completion]
    costs = [call.cost for call in calls]
    return Preview(
        prompt_version=instructions.version,
        results=state.results,
        entries=_entries_after(given, state),
        system=first.system if first else "",
        prompt=first.prompt if first else "",
        answers=[storable(call.text) for call in calls],
        prompt_tokens=sum(call.prompt_tokens or 0 for call in calls) or None,
        output_tokens=sum(call.output_tokens or 0 for call in calls) or None,
        cost=sum((cost for cost in costs if cost is not None), Decimal(0)) if None not in costs else None,
        milliseconds=round(milliseconds, 3),
    )


def nobody_of(companion: Companion) -> Relationship:
    """A relationship that is stored nowhere, for a conversation with nobody in particular."""
    user = EndUser(project=companion.project, external_id="preview", display_name="User")
    return Relationship(id=uuid7(), project=companion.project, companion=companion, user=user)


def refuse_too_long(relationship_id: UUID, turn_ids: Sequence[UUID]) -> None:
    """Raises InvalidInput if more than one turn is to be read, and they are together longer than one may be."""
    said = Message.objects.for_relationship(relationship_id).filter(turn_id__in=turn_ids)
    size = said.aggregate(size=Sum(Func("content", function="octet_length")))["size"] or 0
    if len(turn_ids) > 1 and size > settings.MAX_BODY_BYTES:
        limit = settings.MAX_BODY_BYTES
        raise InvalidInput.of(
            "turns", f"are {size:,} bytes long together; choose fewer, of at most {limit:,}"
        )


def _pasted(
    relationship: Relationship, messages: Sequence[NewMessage]
) -> tuple[Sequence[Turn], Sequence[InputMessage]]:
    now = timezone.now()
    turn = Turn(relationship_id=relationship.id, project_id=relationship.project_id, seq=0, occurred_at=now)
    said = [
        input_message(
            relationship, uuid7(), turn.id, one.role, one.speaker, one.content, one.occurred_at or now
        )
        for one in messages
    ]
    return [turn], said


def _past(
    relationship: Relationship, turn_ids: Sequence[UUID]
) -> tuple[Sequence[Turn], Sequence[InputMessage]]:
    owned = Turn.objects.for_relationship(relationship.id).filter(id__in=list(turn_ids)).order_by("seq")
    turns = list(owned)
    if len(turns) != len(set(turn_ids)):
        raise NotFound("Not all of these turns are there.")
    refuse_too_long(relationship.id, turn_ids)
    rows = Message.objects.for_relationship(relationship.id).filter(
        turn_id__in=[turn.id for turn in turns], erased_at=None, hidden_at=None
    )
    said = rows.order_by("seq").values_list(*MESSAGE_COLUMNS)
    return turns, [input_message(relationship, *row) for row in said]


def _reading(
    relationship: Relationship,
    instructions: Instructions,
    turns: Sequence[Turn],
    said: Sequence[InputMessage],
    present_entries: bool,
) -> IngestionInput:
    configuration = configuration_of(relationship, turn=turns[0].config).values  # as for a batch
    read = [message for message in said if message.role in configuration.ingestion.roles]
    active = ScratchpadEntry.objects.for_relationship(relationship.id).active()
    has_archive = present_entries and active.filter(tier=Tier.ARCHIVE).exists()
    entries = scratchpad_of(relationship.id) if present_entries else ()
    return compose_input(
        relationship, configuration, turns, read, (), instructions, entries=entries, has_archive=has_archive
    )


def _entries_after(given: IngestionInput, state: ApplyState) -> list[dict[str, str]]:
    """What would be active then: the new entries, the newest first, and those that were shown."""
    listed = dict.fromkeys((*given.entries, *state.given.entries))
    shown = [state.rows.get(entry.id, entry) for entry in listed]
    return [
        {"type": entry.type, "subject": entry.subject, "content": entry.content}
        for entry in (*reversed(state.added), *shown)
        if isinstance(entry, ShownEntry) or entry.state == EntryState.ACTIVE
    ]
