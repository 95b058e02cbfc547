"""The conversation as the page shows it: turns with their messages, and what each turn changed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from memory.models import EntryRevision, ModelCall, RevisionEvent
from relationships.models import Message, Turn, TurnState

BADGES = {
    TurnState.PENDING: "info",
    TurnState.PROCESSING: "info",
    TurnState.APPLIED: "",
    TurnState.SKIPPED: "warn",
    TurnState.FAILED: "bad",
}


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
    """One turn. `starts_session`: its session is another than that of the turn before it."""

    turn: Turn
    messages: list[Message] = field(default_factory=list)
    changes: list[ChangeOfTurn] = field(default_factory=list)
    starts_session: bool = False

    @property
    def badge(self) -> str:
        return BADGES[TurnState(self.turn.state)]


def exchanges_of(relationship_id: UUID, turns: Sequence[Turn]) -> list[Exchange]:
    """These turns of one relationship with all that belongs to them: two statements, whatever their number."""
    exchanges = {turn.id: Exchange(turn) for turn in turns}
    owned = Message.objects.for_relationship(relationship_id).filter(turn_id__in=list(exchanges))
    for message in owned.order_by("seq"):
        exchanges[message.turn_id].messages.append(message)
    revisions = EntryRevision.objects.for_relationship(relationship_id).filter(turn_id__in=list(exchanges))
    for revision in revisions.exclude(event=RevisionEvent.NONE).order_by("seq"):
        assert revision.turn_id is not None
        exchanges[revision.turn_id].changes.append(ChangeOfTurn.of(revision))
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
