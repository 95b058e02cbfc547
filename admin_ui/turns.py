"""A project's turns as a list shows them: who spoke, what came of it, how long it took and what it cost;
and those in which something was said.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from operator import itemgetter
from uuid import UUID

from django.db.models import Min, Q, QuerySet
from django.utils import timezone

from admin_ui.conversation import decided_in_words, seconds_between
from admin_ui.excerpts import Excerpt
from admin_ui.paging import PAGE_SIZE
from memory.mending.matching import WithWords
from memory.models import HeldDeletion, HeldState, ModelCall, OperationResult, Verdict
from relationships.models import Message, MessageRole, Relationship, Turn, TurnState
from web.pagination import sifted

NEWEST_FIRST = ("-recorded_at", "-id")
MOST_READ = 400_000  # characters of messages that one page looks through
WAITING = (TurnState.PENDING, TurnState.PROCESSING)
_READ = ("relationship_id", "id", "turn_id", "kind", "verdict", "held_id")


@dataclass(slots=True)
class TurnRow:
    """One turn. `done`: how many operations were applied, by kind; `refused`: how many were not; `held`: deletions that
    were too many at once, by what became of them.
    """

    turn: Turn
    relationship: Relationship
    says: str = ""  # what was said first, of what is not hidden or erased
    replies: bool = False  # whether that is the companion's
    gone: str = ""  # why it says nothing
    excerpt: Excerpt | None = None  # of the message in which something was sought
    done: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    held: Counter[HeldState] = field(default_factory=Counter)
    model: str = ""
    tokens: int = 0
    cost: Decimal | None = None
    next_try: datetime | None = None  # of itself or of what stands before it, if that was tried in vain
    together: int = 0  # turns that were read in the same calls, so that tokens and cost are of all of them

    @property
    def operations(self) -> list[tuple[str, int]]:
        return sorted(self.done.items())

    @property
    def awaiting_review(self) -> int:
        return self.held[HeldState.WAITING]

    @property
    def decided(self) -> str:
        return decided_in_words(self.held)

    @property
    def seconds(self) -> float | None:
        """From its intake to its end; None if nobody read it."""
        if self.turn.state == TurnState.SKIPPED:
            return None
        return seconds_between(self.turn.recorded_at, self.turn.settled_at)


def rows_of(turns: Sequence[Turn]) -> list[TurnRow]:
    """Four statements for all of them, one where any waits, and one where deletions were held. Those of an erased
    relationship are left out.
    """
    people = {
        row.id: row
        for row in Relationship.objects.filter(
            id__in={turn.relationship_id for turn in turns}
        ).select_related("user", "companion")
    }
    rows = {
        (turn.relationship_id, turn.id): TurnRow(turn, people[turn.relationship_id])
        for turn in turns
        if turn.relationship_id in people
    }
    owned = {"relationship_id__in": list(people)}
    turn_ids = [turn.id for turn in turns]
    said = Message.objects.filter(**owned, turn_id__in=turn_ids)
    for message in said.order_by("-seq"):
        row = rows.get((message.relationship_id, message.turn_id))
        if row is not None and (message.hidden_at or message.erased_at):
            row.gone = "erased" if message.erased_at else "hidden"
        elif row is not None:  # in the end the first one's
            row.says, row.replies = message.content, message.role == MessageRole.ASSISTANT
    results = list(OperationResult.objects.filter(**owned, turn_id__in=turn_ids).only(*_READ))
    decided = _decided(results)
    for result in results:
        if (row := rows.get((result.relationship_id, result.turn_id))) is None:
            continue
        if result.verdict == Verdict.APPLIED:
            row.done[result.kind] += 1
        row.refused += result.verdict == Verdict.REFUSED
        if result.held_id is not None and (state := decided.get((result.relationship_id, result.held_id))):
            row.held[HeldState(state)] += 1
    _add_calls(rows)
    _add_next_tries(rows)
    return list(rows.values())


def _add_next_tries(rows: dict[tuple[UUID, UUID], TurnRow]) -> None:
    """A relationship's turns are read in order: those behind one that was tried in vain wait for its next try."""
    waiting = [row for row in rows.values() if row.turn.state == TurnState.PENDING and not row.turn.waits_for]
    if not waiting:
        return
    in_vain = Turn.objects.filter(
        relationship_id__in={row.relationship.id for row in waiting}, state=TurnState.PENDING
    ).exclude(error_code="")
    tried = in_vain.order_by().values_list("relationship_id").annotate(seq=Min("seq"), at=Min("due_at"))
    now = timezone.now()
    first = {relationship_id: (seq, at) for relationship_id, seq, at in tried if at and at > now}
    for row in waiting:
        seq, at = first.get(row.relationship.id, (row.turn.seq + 1, None))
        row.next_try = at if row.turn.seq >= seq else None


def _decided(results: Sequence[OperationResult]) -> dict[tuple[UUID, UUID], str]:
    """What became of the deletions that were held, by relationship and ID; one statement, or none where none was."""
    held = [result for result in results if result.held_id is not None]
    if not held:
        return {}
    found = HeldDeletion.objects.filter(
        relationship_id__in={result.relationship_id for result in held},
        id__in={result.held_id for result in held},
    )
    return {(row.relationship_id, row.id): row.state for row in found.only("relationship_id", "id", "state")}


def _add_calls(rows: dict[tuple[UUID, UUID], TurnRow]) -> None:
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
            row.together = max(row.together, len(call.turn_ids))
            if call.cost is not None:
                row.cost = (row.cost or Decimal(0)) + call.cost


class TurnsWith:
    """Of turns that come in pieces, those in which one message has all the words. `lines`: that message's text."""

    def __init__(self, query: str) -> None:
        self._words = WithWords(None, query, text=itemgetter(1), most=MOST_READ)
        self.lines: dict[UUID, str] = {}

    @property
    def spent(self) -> bool:
        return self._words.spent

    @property
    def takes(self) -> int:
        return max(1, self._words.takes // 2)  # a turn has two messages or more

    def __call__(self, rows: Sequence[Turn]) -> list[Turn]:
        messages = Message.objects.filter(
            relationship_id__in={turn.relationship_id for turn in rows},
            turn_id__in=[turn.id for turn in rows],
            hidden_at=None,
            erased_at=None,
        )
        said = list(messages.order_by("-seq").values_list("turn_id", "content"))
        self.lines |= dict(self._words(said))  # in the end the first of a turn
        return [turn for turn in rows if turn.id in self.lines]


def turns_with(
    turns: QuerySet[Turn], query: str, *, before: Turn | None
) -> tuple[list[Turn], dict[UUID, str], Turn | None]:
    """A page of them, newest first; the text that has the words, by turn; and the turn behind which to go on, if there
    is more to look through.
    """
    if before is not None:
        earlier = Q(recorded_at__lt=before.recorded_at) | Q(recorded_at=before.recorded_at, id__lt=before.id)
        turns = turns.filter(earlier, recorded_at__lte=before.recorded_at)
    sieve = TurnsWith(query)
    found, last = sifted(turns, NEWEST_FIRST, PAGE_SIZE, sieve)
    return found, sieve.lines, last
