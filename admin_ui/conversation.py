"""The conversation as the page shows it: turns with their messages, and what each turn changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from operator import itemgetter
from uuid import UUID

from django.db.models import Exists, OuterRef, Subquery

from admin_ui.excerpts import Excerpt, excerpt_of
from chat.models import KeptContext
from memory.entries.held import held_of_turns
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
)
from relationships.models import Message, Turn, TurnState
from web.pagination import sifted

MOST_CALLS = 20  # of a turn on its page
BADGES = {
    TurnState.PENDING: "info",
    TurnState.PROCESSING: "info",
    TurnState.APPLIED: "",
    TurnState.SKIPPED: "warn",
    TurnState.FAILED: "bad",
}
DECIDED = (HeldState.DECLINED, HeldState.CONFIRMED)


@dataclass(frozen=True, slots=True)
class ChangeOfTurn:
    """What one turn did to one entry: in words, unless they were erased."""

    event: str
    entry_id: UUID
    text: str
    was: str  # before the change
    erased: bool
    gone: bool  # it deleted the entry, which is deleted still

    @classmethod
    def of(cls, revision: EntryRevision) -> "ChangeOfTurn":
        before = revision.before or {}
        fields = revision.after or before
        erased = revision.redacted_at is not None
        gone = revision.event == RevisionEvent.DELETE and getattr(revision, "is_deleted", False)
        text, was = fields.get("content", ""), before.get("content", "")
        return cls(revision.event, revision.entry_id, text, was, erased, gone)


@dataclass(slots=True)
class Exchange:
    """One turn. `held`: its deletions that were too many at once, by what became of them. `plans`: of
    what it asks to forget or correct, those that wait for a person. `begins`: its session or its day is another than
    that of the turn before it."""

    turn: Turn
    held: Mapping[HeldState, int] = field(default_factory=dict)
    plans: Sequence[UUID] = ()
    messages: list[Message] = field(default_factory=list)
    changes: list[ChangeOfTurn] = field(default_factory=list)
    begins: bool = False
    context: KeptContext | None = None  # what the companion was shown before it replied

    @property
    def awaiting_review(self) -> int:
        """How many of its deletions wait for a person."""
        return self.held.get(HeldState.WAITING, 0)

    @property
    def decided(self) -> str:
        return decided_in_words(self.held)

    @property
    def badge(self) -> str:
        return BADGES[TurnState(self.turn.state)]

    @property
    def queued(self) -> float | None:
        """Seconds that the turn waited for a worker; None if it still does."""
        return seconds_between(self.turn.recorded_at, self.turn.claimed_at)

    @property
    def processed(self) -> float | None:
        """Seconds that it was worked on; None until its end."""
        return seconds_between(self.turn.claimed_at, self.turn.settled_at)


def seconds_between(begin: datetime | None, end: datetime | None) -> float | None:
    return (end - begin).total_seconds() if begin and end else None


def decided_in_words(held: Mapping[HeldState, int]) -> str:
    """What a person said of a turn's deletions; empty where nobody has been asked, or nobody answered yet."""
    counts = [(held[state], state) for state in DECIDED if state in held]
    return ", ".join(f"{count} deletion{'' if count == 1 else 's'} {state}" for count, state in counts)


def exchanges_of(relationship_id: UUID, turns: Sequence[Turn]) -> list[Exchange]:
    """These turns of one relationship with all that belongs to them: at most five statements for all."""
    held = held_of_turns(relationship_id=relationship_id, turns=turns)
    plans = awaiting_of_turns(relationship_id, turns)
    exchanges = {turn.id: Exchange(turn, held.get(turn.id, {}), plans.get(turn.id, ())) for turn in turns}
    owned = Message.objects.for_relationship(relationship_id).filter(turn_id__in=list(exchanges))
    for message in owned.order_by("seq"):
        exchanges[message.turn_id].messages.append(message)
    revisions = EntryRevision.objects.for_relationship(relationship_id).filter(turn_id__in=list(exchanges))
    deleted = ScratchpadEntry.objects.for_relationship(relationship_id).filter(
        id=OuterRef("entry_id"), state=EntryState.DELETED
    )
    revisions = revisions.exclude(event=RevisionEvent.NONE).annotate(is_deleted=Exists(deleted))
    for revision in revisions.order_by("seq"):
        assert revision.turn_id is not None
        exchanges[revision.turn_id].changes.append(ChangeOfTurn.of(revision))
    for kept in KeptContext.objects.for_relationship(relationship_id).filter(turn_id__in=list(exchanges)):
        exchanges[kept.turn_id].context = kept
    found = list(exchanges.values())
    for place, exchange in enumerate(found):
        exchange.begins = not place or _heading(found[place - 1].turn) != _heading(exchange.turn)
    return found


def _heading(turn: Turn) -> tuple[str, date]:
    return turn.session, turn.occurred_at.date()


def found_lines(
    relationship_id: UUID, text: str, *, before: int | None, limit: int, language: str
) -> tuple[list[tuple[Message, Excerpt]], int | None]:
    """Messages with all of its words, in any spelling, newest first, each with its turn's seq and the part where they
    stand; and before which `seq` to go on, if there is more to read: one page reads so much. `language`: whose endings
    the search knows.
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


def turn_between(relationship_id: UUID, turn_id: UUID) -> tuple[Turn, Sequence[UUID | None]] | None:
    """A turn, and the IDs of those before and after it. One statement."""
    turns = Turn.objects.for_relationship(relationship_id)
    before = turns.filter(seq__lt=OuterRef("seq")).order_by("-seq").values("id")[:1]
    after = turns.filter(seq__gt=OuterRef("seq")).order_by("seq").values("id")[:1]
    found = turns.annotate(before=Subquery(before), after=Subquery(after)).filter(id=turn_id).first()
    return found and (found, (found.before, found.after))


def operations_of(
    results: Iterable[OperationResult], calls: Sequence[ModelCall], changes: Sequence[ChangeOfTurn]
) -> list[tuple[OperationResult, str]]:
    """Each operation with the entry that it names by a number: as that was before the turn's `changes`, in their order;
    as it is now, if the turn did not change it.
    """
    shown = {call.id: call.shown_entry_ids for call in calls}
    named = [(result, _entry_named(result, shown)) for result in results]
    ids = {entry_id for _, entry_id in named if entry_id}
    texts: dict[UUID, str] = {}
    if ids and calls:
        owned = ScratchpadEntry.objects.for_relationship(calls[0].relationship_id)
        texts = dict(owned.filter(id__in=ids).values_list("id", "content"))
        texts |= {change.entry_id: change.was for change in reversed(changes) if change.was}
    return [(result, texts.get(entry_id, "") if entry_id else "") for result, entry_id in named]


def _entry_named(result: OperationResult, shown: Mapping[UUID, Sequence[UUID]]) -> UUID | None:
    number = result.operation.get("entry") if isinstance(result.operation, dict) else None
    ids = shown.get(result.call_id, ()) if result.call_id else ()
    return ids[number - 1] if isinstance(number, int) and 0 < number <= len(ids) else None


def calls_of(turn: Turn) -> tuple[list[ModelCall], int]:
    """The newest questions that were asked for this turn, in order; and how many there were: each try is one."""
    calls = ModelCall.objects.for_relationship(turn.relationship_id).filter(turn_ids__contains=[turn.id])
    newest = list(calls.order_by("-recorded_at", "-id")[:MOST_CALLS])[::-1]
    return newest, calls.count() if len(newest) == MOST_CALLS else len(newest)
