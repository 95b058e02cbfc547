"""The conversation as the page shows it: turns with their messages, and what each turn changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from chat.models import KeptContext
from memory.entries.held import held_of_turns
from memory.models import EntryRevision, HeldState, ModelCall, RevisionEvent
from relationships.models import Message, Turn, TurnState

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
    erased: bool

    @classmethod
    def of(cls, revision: EntryRevision) -> "ChangeOfTurn":
        fields = revision.after or revision.before or {}
        return cls(
            revision.event, revision.entry_id, fields.get("content", ""), revision.redacted_at is not None
        )


@dataclass(slots=True)
class Exchange:
    """One turn. `held`: its deletions that were too many at once, by what became of them. `starts_session`: its
    session is another than that of the turn before it."""

    turn: Turn
    messages: list[Message] = field(default_factory=list)
    changes: list[ChangeOfTurn] = field(default_factory=list)
    held: Mapping[HeldState, int] = field(default_factory=dict)
    starts_session: bool = False
    context: KeptContext | None = None  # what the companion was shown before it replied

    @property
    def awaiting_review(self) -> int:
        """How many of its deletions wait for a person."""
        return self.held.get(HeldState.WAITING, 0)

    @property
    def decided(self) -> str:
        """What a person said of its deletions, in words; empty where nobody has been asked, or nobody answered yet."""
        counts = [(self.held[state], state) for state in DECIDED if state in self.held]
        return ", ".join(f"{count} deletion{'' if count == 1 else 's'} {state}" for count, state in counts)

    @property
    def badge(self) -> str:
        return BADGES[TurnState(self.turn.state)]


def exchanges_of(relationship_id: UUID, turns: Sequence[Turn]) -> list[Exchange]:
    """These turns of one relationship with all that belongs to them: at most four statements for all."""
    held = held_of_turns(relationship_id=relationship_id, turns=turns)
    exchanges = {turn.id: Exchange(turn, held=held.get(turn.id, {})) for turn in turns}
    owned = Message.objects.for_relationship(relationship_id).filter(turn_id__in=list(exchanges))
    for message in owned.order_by("seq"):
        exchanges[message.turn_id].messages.append(message)
    revisions = EntryRevision.objects.for_relationship(relationship_id).filter(turn_id__in=list(exchanges))
    for revision in revisions.exclude(event=RevisionEvent.NONE).order_by("seq"):
        assert revision.turn_id is not None
        exchanges[revision.turn_id].changes.append(ChangeOfTurn.of(revision))
    for kept in KeptContext.objects.for_relationship(relationship_id).filter(turn_id__in=list(exchanges)):
        exchanges[kept.turn_id].context = kept
    found = list(exchanges.values())
    for place, exchange in enumerate(found):
        exchange.starts_session = not place or found[place - 1].turn.session != exchange.turn.session
    return found


def calls_of(turn: Turn) -> list[ModelCall]:
    """Every question that was asked for this turn, in order."""
    return list(
        ModelCall.objects.for_relationship(turn.relationship_id)
        .filter(turn_ids__contains=[turn.id])
        .order_by("recorded_at", "id")
    )
