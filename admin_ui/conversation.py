"""Turns for display: with their messages, the changes they made, and the model calls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from operator import itemgetter
from typing import Any, cast
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery, Window
from django.db.models.functions import RowNumber

from admin_ui.excerpts import Excerpt, excerpt_of
from admin_ui.words import counted
from chat.models import KeptContext
from memory.entries.held_deletions import held_of_turns
from memory.mending.matching import WithWords
from memory.mending.plans import awaiting_of_turns
from memory.models import (
    EntryRevision,
    EntryState,
    HeldState,
    ModelCall,
    OperationResult,
    RevisionEvent,
    ScratchpadEntry,
    Verdict,
)
from relationships.models import Message, Turn, TurnState
from web.pagination import sifted

MOST_REFUSED = 3  # refused operations shown of a turn, beside its changes
MOST_CHANGES = 20  # changes of entries shown of a turn, on a page
MOST_CALLS = 20  # model calls shown of a turn
BADGES = {
    TurnState.PENDING: "info",
    TurnState.PROCESSING: "info",
    TurnState.APPLIED: "",
    TurnState.SKIPPED: "warn",
    TurnState.FAILED: "bad",
}
DECIDED = (HeldState.DECLINED, HeldState.CONFIRMED)


@dataclass(frozen=True, slots=True)
class EntryChange:
    """A change of an entry by a turn."""

    event: str
    entry_id: UUID
    text: str
    text_before: str
    erased: bool
    can_restore: bool  # the turn deleted the entry, and it is still deleted

    @classmethod
    def of(cls, revision: EntryRevision) -> "EntryChange":
        before = revision.before or {}
        text = (revision.after or before).get("content", "")
        erased = revision.redacted_at is not None
        can_restore = revision.event == RevisionEvent.DELETE and getattr(revision, "is_deleted", False)
        return cls(revision.event, revision.entry_id, text, before.get("content", ""), erased, can_restore)


@dataclass(slots=True)
class Exchange:
    """A turn with all that belongs to it. `held`: how many of its deletions were held, by state; `plans`: IDs of its
    mending plans that await review; `has_heading`: the turn before it has another session or date.
    """

    turn: Turn
    held: Mapping[HeldState, int] = field(default_factory=dict)
    plans: Sequence[UUID] = ()
    messages: list[Message] = field(default_factory=list)
    changes: Sequence[EntryChange] = ()  # the first MOST_CHANGES
    more_changes: int = 0
    refused: Sequence[OperationResult] = ()  # the first MOST_REFUSED
    more_refused: int = 0
    has_heading: bool = False
    context: KeptContext | None = None  # of the reply

    @property
    def awaiting_review(self) -> int:
        """How many of its deletions await review."""
        return self.held.get(HeldState.WAITING, 0)

    @property
    def decided(self) -> str:
        return decided_in_words(self.held)

    @property
    def badge(self) -> str:
        return BADGES[TurnState(self.turn.state)]

    @property
    def queued(self) -> float | None:
        """Seconds that the turn waited for a worker; None if it still waits."""
        return seconds_between(self.turn.recorded_at, self.turn.claimed_at)

    @property
    def processed(self) -> float | None:
        """Seconds that processing took; None if it has not ended."""
        return seconds_between(self.turn.claimed_at, self.turn.settled_at)


def seconds_between(begin: datetime | None, end: datetime | None) -> float | None:
    return (end - begin).total_seconds() if begin and end else None


def decided_in_words(held: Mapping[HeldState, int]) -> str:
    """Return how many held deletions were confirmed and declined: "2 deletions declined"; empty if none."""
    return ", ".join(f"{counted(held[state], 'deletion')} {state}" for state in DECIDED if state in held)


def exchanges_of(relationship_id: UUID, turns: Sequence[Turn]) -> list[Exchange]:
    """Load what belongs to these turns of a relationship. At most six statements for all turns together."""
    held = held_of_turns(relationship_id=relationship_id, turns=turns)
    plans = awaiting_of_turns(relationship_id, turns)
    exchanges = {turn.id: Exchange(turn, held.get(turn.id, {}), plans.get(turn.id, ())) for turn in turns}
    owned = Message.objects.for_relationship(relationship_id).filter(turn_id__in=list(exchanges))
    for message in owned.order_by("seq"):
        exchanges[message.turn_id].messages.append(message)
    for revision in _first_of_each(changes_of(relationship_id, list(exchanges)), "seq", MOST_CHANGES):
        assert revision.turn_id is not None
        exchange = exchanges[revision.turn_id]
        exchange.changes = (*exchange.changes, EntryChange.of(revision))
        exchange.more_changes = revision.of_turn - len(exchange.changes)
    results = OperationResult.objects.for_relationship(relationship_id).filter(turn_id__in=list(exchanges))
    for result in _first_of_each(results.filter(verdict=Verdict.REFUSED), "number", MOST_REFUSED):
        exchange = exchanges[result.turn_id]
        exchange.refused = (*exchange.refused, result)
        exchange.more_refused = result.of_turn - len(exchange.refused)
    for kept in KeptContext.objects.for_relationship(relationship_id).filter(turn_id__in=list(exchanges)):
        exchanges[kept.turn_id].context = kept
    found = list(exchanges.values())
    for place, exchange in enumerate(found):
        exchange.has_heading = not place or _heading(found[place - 1].turn) != _heading(exchange.turn)
    return found


def _first_of_each(rows: QuerySet[Any], order: str, most: int) -> QuerySet[Any]:
    """Return the first rows of each turn, in order. `of_turn`: how many rows its turn has."""
    numbered = rows.annotate(
        place=Window(RowNumber(), partition_by="turn_id", order_by=order),
        of_turn=Window(Count("id"), partition_by="turn_id"),
    )
    return cast("QuerySet[Any]", numbered.filter(place__lte=most).order_by(order))


def changes_of(relationship_id: UUID, turn_ids: Sequence[UUID]) -> QuerySet[EntryRevision]:
    """Return the changes of entries that these turns made, in order, as EntryChange takes them."""
    entries = ScratchpadEntry.objects.for_relationship(relationship_id)
    deleted = entries.filter(id=OuterRef("entry_id"), state=EntryState.DELETED)
    revisions = EntryRevision.objects.for_relationship(relationship_id).filter(turn_id__in=turn_ids)
    found = revisions.exclude(event=RevisionEvent.NONE).annotate(is_deleted=Exists(deleted))
    return cast("QuerySet[EntryRevision]", found.order_by("seq"))


def _heading(turn: Turn) -> tuple[str, date]:
    return turn.session, turn.occurred_at.date()


def find_messages(
    relationship_id: UUID, text: str, *, before: int | None, limit: int, language: str
) -> tuple[list[tuple[Message, Excerpt]], int | None]:
    """Find the newest messages with all words of `text`, in any spelling of the language, each with an excerpt.

    Reads a limited number of messages, those before the seq `before`. Also returns the seq to continue with as
    `before`, None if all were read. The messages have `turn_seq`.
    """
    rows = Message.objects.for_relationship(relationship_id)
    if before is not None:
        rows = rows.filter(seq__lt=before)
    words = WithWords(relationship_id, text, text=itemgetter("content"), language=language)
    found, last = sifted(rows.values("id", "seq", "content"), ["-seq"], limit, words)
    turn = Turn.objects.for_relationship(relationship_id).filter(id=OuterRef("turn_id"))
    messages = rows.filter(id__in=[row["id"] for row in found]).order_by("-seq")
    shown = messages.annotate(turn_seq=Subquery(turn.values("seq")))
    return [(message, excerpt_of(message.content, text)) for message in shown], last and last["seq"]


def turn_with_neighbours(relationship_id: UUID, turn_id: UUID) -> tuple[Turn, Sequence[UUID | None]] | None:
    """Return a turn with the IDs of the previous and the next turn; None if it does not exist. One statement."""
    turns = Turn.objects.for_relationship(relationship_id)
    before = turns.filter(seq__lt=OuterRef("seq")).order_by("-seq").values("id")[:1]
    after = turns.filter(seq__gt=OuterRef("seq")).order_by("seq").values("id")[:1]
    found = turns.annotate(before=Subquery(before), after=Subquery(after)).filter(id=turn_id).first()
    return found and (found, (found.before, found.after))


def operations_of(
    results: Sequence[OperationResult], calls: Sequence[ModelCall]
) -> list[tuple[OperationResult, str]]:
    """Pair each operation with the content that the entry whose number it names had before the turn; "" if none.

    At most two statements.
    """
    shown = {call.id: call.shown_entry_ids for call in calls}
    named = [(result, _entry_named(result, shown)) for result in results]
    ids = {entry_id for _, entry_id in named if entry_id}
    texts: dict[UUID, str] = {}
    if ids:
        owner, turn_id = results[0].relationship_id, results[0].turn_id
        entries = ScratchpadEntry.objects.for_relationship(owner).filter(id__in=ids)
        texts = dict(entries.values_list("id", "content"))
        first = changes_of(owner, [turn_id]).filter(entry_id__in=ids).order_by("entry_id", "seq")
        changes = map(EntryChange.of, first.distinct("entry_id"))
        texts |= {change.entry_id: change.text_before for change in changes if change.text_before}
    return [(result, texts.get(entry_id, "") if entry_id else "") for result, entry_id in named]


def _entry_named(result: OperationResult, shown: Mapping[UUID, Sequence[UUID]]) -> UUID | None:
    """Return the entry whose number the operation names, in the prompt of its call."""
    number = result.operation.get("entry") if isinstance(result.operation, dict) else None
    ids = shown.get(result.call_id, ()) if result.call_id else ()
    return ids[number - 1] if isinstance(number, int) and 0 < number <= len(ids) else None


def calls_of(turn: Turn) -> tuple[list[ModelCall], int]:
    """Return the turn's newest MOST_CALLS model calls, oldest first, and how many there are in all."""
    calls = ModelCall.objects.for_relationship(turn.relationship_id).filter(turn_ids__contains=[turn.id])
    newest = list(calls.order_by("-recorded_at", "-id")[:MOST_CALLS])[::-1]
    return newest, calls.count() if len(newest) == MOST_CALLS else len(newest)
