"""A project's turns for a list: what was said, the outcome, duration and cost; and a search over their messages."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from operator import itemgetter
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone

from admin_ui.conversation import decided_in_words, seconds_between
from admin_ui.excerpts import Excerpt
from admin_ui.paging import PAGE_SIZE
from memory.mending.matching import WithWords
from memory.models import HeldDeletion, HeldState, ModelCall, OperationResult, Verdict
from relationships.models import Message, MessageRole, Relationship, Turn, TurnState
from web.pagination import sifted

NEWEST_FIRST = ("-recorded_at", "-id")
MOST_READ = 400_000  # characters of messages that a search reads for one page
WAITING = (TurnState.PENDING, TurnState.PROCESSING)
_ALIKE = ("relationship_id", "turn_id", "kind", "verdict", "held_id")  # what operations are counted by


@dataclass(slots=True)
class TurnRow:
    """A turn. `applied`, `refused`: how many operations; `held`: how many deletions were held, by state."""

    turn: Turn
    relationship: Relationship
    text: str = ""  # of the first message that is neither hidden nor erased
    is_reply: bool = False  # whether that message is the companion's
    no_text: str = ""  # why there is no such message: "hidden" or "erased"
    excerpt: Excerpt | None = None  # of the message that a search found
    applied: Counter[str] = field(default_factory=Counter)  # by kind
    refused: int = 0
    held: Counter[HeldState] = field(default_factory=Counter)
    model: str = ""
    tokens: int = 0
    cost: Decimal | None = None  # in USD
    next_try: datetime | None = None  # of the turn, or of an earlier one that it waits for
    batch_turns: int = 0  # in the same model calls; tokens and cost are of all of these turns

    @property
    def operations(self) -> list[tuple[str, int]]:
        return sorted(self.applied.items())

    @property
    def awaiting_review(self) -> int:
        return self.held[HeldState.WAITING]

    @property
    def decided(self) -> str:
        return decided_in_words(self.held)

    @property
    def seconds(self) -> float | None:
        """From its arrival until it was processed or failed; None if it was skipped or is waiting."""
        if self.turn.state == TurnState.SKIPPED:
            return None
        return seconds_between(self.turn.recorded_at, self.turn.settled_at)


class _Results(NamedTuple):
    """How many operations of a turn are alike."""

    relationship_id: UUID
    turn_id: UUID
    kind: str
    verdict: str
    held_id: UUID | None
    number: int


def turn_rows(turns: Sequence[Turn]) -> list[TurnRow]:
    """Load what the list shows of these turns, without those of relationships that were erased.

    Four statements for all turns together, one more if any wait, and one more if deletions were held.
    """
    relationships = Relationship.objects.select_related("user", "companion").in_bulk(
        {turn.relationship_id for turn in turns}
    )
    rows = {
        (turn.relationship_id, turn.id): TurnRow(turn, relationships[turn.relationship_id])
        for turn in turns
        if turn.relationship_id in relationships
    }
    owned = {"relationship_id__in": list(relationships), "turn_id__in": [turn.id for turn in turns]}
    for message in Message.objects.filter(**owned).order_by("-seq"):
        row = rows.get((message.relationship_id, message.turn_id))
        if row is not None and (message.hidden_at or message.erased_at):
            row.no_text = "erased" if message.erased_at else "hidden"
        elif row is not None:  # the turn's first message comes last
            row.text, row.is_reply = message.content, message.role == MessageRole.ASSISTANT
    alike = OperationResult.objects.filter(**owned).order_by().values_list(*_ALIKE).annotate(Count("id"))
    results = [_Results(*found) for found in alike]
    held = _held_states(results)
    for result in results:
        if (row := rows.get((result.relationship_id, result.turn_id))) is None:
            continue
        if result.verdict == Verdict.APPLIED:
            row.applied[result.kind] += result.number
        row.refused += result.number * (result.verdict == Verdict.REFUSED)
        if result.held_id is not None and (state := held.get((result.relationship_id, result.held_id))):
            row.held[HeldState(state)] += result.number
    _add_calls(rows)
    _add_next_tries(rows)
    return list(rows.values())


def _add_next_tries(rows: dict[tuple[UUID, UUID], TurnRow]) -> None:
    """Set `next_try` of turns that wait for a retry, their own or an earlier turn's: turns are processed in order."""
    waiting = [row for row in rows.values() if row.turn.state == TurnState.PENDING and not row.turn.waits_for]
    failed = Turn.objects.filter(
        relationship_id__in={row.relationship.id for row in waiting}, state=TurnState.PENDING
    ).exclude(error_code="")
    tried = failed.order_by().values_list("relationship_id").annotate(seq=Min("seq"), at=Min("due_at"))
    now = timezone.now()
    first = {relationship_id: (seq, at) for relationship_id, seq, at in tried if at and at > now}
    for row in waiting:
        seq, at = first.get(row.relationship.id, (row.turn.seq + 1, None))
        row.next_try = at if row.turn.seq >= seq else None


def _held_states(results: Sequence[_Results]) -> dict[tuple[UUID, UUID], str]:
    """Return the states of held deletions, by relationship and ID. One statement, or none if none was held."""
    held = [result for result in results if result.held_id is not None]
    found = HeldDeletion.objects.filter(
        relationship_id__in={result.relationship_id for result in held},
        id__in={result.held_id for result in held},
    )
    return {(row.relationship_id, row.id): row.state for row in found.only("relationship_id", "id", "state")}


def _add_calls(rows: dict[tuple[UUID, UUID], TurnRow]) -> None:
    """Set the model, tokens and cost."""
    call_ids = [call_id for row in rows.values() for call_id in row.turn.model_call_ids]
    calls = {
        call.id: call
        for call in ModelCall.objects.filter(
            relationship_id__in={relationship_id for relationship_id, _ in rows}, id__in=call_ids
        ).only("id", "model", "prompt_tokens", "output_tokens", "cost", "turn_ids", "relationship_id")
    }
    for row in rows.values():
        for call_id in row.turn.model_call_ids:
            if (call := calls.get(call_id)) is None:
                continue
            row.model = call.model
            row.tokens += (call.prompt_tokens or 0) + (call.output_tokens or 0)
            row.batch_turns = max(row.batch_turns, len(call.turn_ids))
            if call.cost is not None:
                row.cost = (row.cost or Decimal(0)) + call.cost


class TurnsWithWords:
    """Filter for `sifted`: turns that have a message with all words of the query. `texts`: of these messages."""

    def __init__(self, query: str) -> None:
        self._words = WithWords(None, query, text=itemgetter(1), most=MOST_READ)
        self.texts: dict[UUID, str] = {}

    @property
    def spent(self) -> bool:
        return self._words.spent

    @property
    def takes(self) -> int:
        return max(1, self._words.takes // 2)  # most turns have two messages

    def __call__(self, rows: Sequence[Turn]) -> list[Turn]:
        messages = Message.objects.filter(
            relationship_id__in={turn.relationship_id for turn in rows},
            turn_id__in=[turn.id for turn in rows],
            hidden_at=None,
            erased_at=None,
        )
        pairs = list(messages.order_by("-seq").values_list("turn_id", "content"))
        self.texts |= dict(self._words(pairs))  # of each turn the first such message, which comes last
        return [turn for turn in rows if turn.id in self.texts]


def search_turns(
    turns: QuerySet[Turn], query: str, *, before: Turn | None
) -> tuple[list[Turn], dict[UUID, str], Turn | None]:
    """Return a page of turns that have a message with all words of the query, newest first; those messages' texts, by
    turn; and the turn to continue before, None if all were searched. `before`: None to begin with the newest turn.
    """
    if before is not None:
        earlier = Q(recorded_at__lt=before.recorded_at) | Q(recorded_at=before.recorded_at, id__lt=before.id)
        turns = turns.filter(earlier, recorded_at__lte=before.recorded_at)
    matching = TurnsWithWords(query)
    found, last = sifted(turns, NEWEST_FIRST, PAGE_SIZE, matching)
    return found, matching.texts, last
