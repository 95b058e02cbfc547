"""The moments that conditions look at: while a context is built, and after a turn.

Of a moment, `message` is what the person says; `turn` its number in the session, from 1, or 0 for a scheduled run,
which has no turn; `entries` are those that the turn added or changed, as `event`, `type` and `content`.
"""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from behaviours.configuration import PRIORITY, Behaviour, Condition, HappensCondition
from behaviours.dated_entries import DatedEntry, entries_near, happening
from context.facts import count_turns
from context.layers.base import LayerRequest
from memory.entries.snapshots import lines_at
from memory.fence import cut_fenced
from memory.models import EntryRevision, HeldDeletion, OperationResult, RevisionEvent, Tier
from relationships.models import DEFAULT_SESSION, Message, MessageRole, Relationship, SessionState, Turn
from relationships.services.profiles import read_profile
from relationships.text_names import folded, name_in_text
from web.errors import shorten

LONGEST_SAID = 20_000  # characters of a variable; rendering may triple them
_EVENTS = {
    RevisionEvent.ADD: "added",
    RevisionEvent.UPDATE: "changed",
    RevisionEvent.MERGE: "changed",
    RevisionEvent.SUPERSEDE: "changed",
}


def _held(relationship_id: UUID) -> int:
    waiting = HeldDeletion.objects.for_relationship(relationship_id).waiting().values("id")
    held = OperationResult.objects.for_relationship(relationship_id).filter(held_id__in=waiting)
    count: int = held.count()
    return count


class ContextMoment:
    """The moment before the model is asked. Nearly everything comes from the context's facts."""

    entries: list[dict[str, str]] = []
    reply = ""

    def __init__(self, request: LayerRequest) -> None:
        self._facts = request.facts
        self.now, self.timezone = request.now, request.facts.timezone
        self.message = request.message or ""
        self.session = request.facts.session
        self.user, self.companion = request.facts.user_name, request.facts.companion_name
        self.profile: Mapping[str, Any] = request.facts.profile
        self.state: Mapping[str, Any] = request.facts.session_state
        self._happening: dict[HappensCondition, list[DatedEntry]] = {}

    @cached_property
    def turn(self) -> int:
        return count_turns(self._facts) + 1

    @property
    def is_first_of_session(self) -> bool:
        return not any(message.session == self.session for message in self._facts.messages)

    @property
    def is_first_ever(self) -> bool:
        return not self._facts.messages

    @property
    def minutes_since(self) -> float | None:
        messages = self._facts.messages
        return (self.now.timestamp() - messages[-1].said_at) / 60 if messages else None

    @cached_property
    def deletions_held(self) -> int:
        return _held(self._facts.relationship_id)

    def happening(self, asked: HappensCondition) -> list[DatedEntry]:
        if asked not in self._happening:
            facts = self._facts
            when: dict[str, Any] = {"now": self.now, "timezone": self.timezone}
            shown = lines_at(facts.scratchpad, fresh_until=facts.fresh_until, now=self.now)
            dated = [DatedEntry.of_line(line) for line in shown if line[3] and "happens_at" in line[3]]
            if facts.has_archive:
                dated += entries_near(facts.relationship_id, asked, tiers=[Tier.ARCHIVE], **when)
            self._happening[asked] = happening(dated, asked, **when)
        return self._happening[asked]


class TurnMoment:
    """The moment of a turn; without a turn, a scheduled time. Profile, state and held deletions are today's."""

    def __init__(
        self,
        relationship: Relationship,
        turn: Turn | None,
        *,
        now: datetime | None = None,
        told_today: Collection[UUID] = (),
    ) -> None:
        """Load `relationship` with its companion and user. `told_today`: dated entries not to come back to again."""
        self._told_today = told_today
        self._relationship, self._turn = relationship, turn
        self.now = now or (turn.occurred_at if turn else datetime.now(UTC))
        self.timezone = relationship.timezone
        self.session = turn.session if turn else DEFAULT_SESSION
        self.user = name_in_text(relationship.user.display_name, relationship.user.external_id)
        self.companion = name_in_text(relationship.companion.name)
        self._happening: dict[HappensCondition, list[DatedEntry]] = {}

    @cached_property
    def _messages(self) -> list[Message]:
        if self._turn is None:
            return []
        rows = Message.objects.for_relationship(self._relationship.id)
        return list(rows.filter(turn_id=self._turn.id, erased_at=None, hidden_at=None).order_by("seq"))

    def _said(self, role: str) -> str:
        said = (cut_fenced(message.content)[0] for message in self._messages if message.role == role)
        return "\n".join(said).strip()

    @cached_property
    def message(self) -> str:
        return self._said("user")

    @cached_property
    def reply(self) -> str:
        return self._said("assistant")

    @cached_property
    def turn(self) -> int:
        return self._earlier.filter(session=self.session).count() + 1 if self._turn else 0

    @property
    def is_first_of_session(self) -> bool:
        return self._turn is not None and not self._earlier.filter(session=self.session).exists()

    @property
    def is_first_ever(self) -> bool:
        return self._turn is not None and not self._spoken.exists()

    @cached_property
    def minutes_since(self) -> float | None:
        """Minutes since the previous message: in the turn's session, or in any session if that is new or there is no
        turn.
        """
        rows = self._spoken.order_by("-seq")
        before = (rows.filter(session=self.session).first() if self._turn else None) or rows.first()
        return (self.now - before.occurred_at).total_seconds() / 60 if before else None

    @cached_property
    def profile(self) -> Mapping[str, Any]:
        return read_profile(self._relationship.id)[0]

    @cached_property
    def state(self) -> Mapping[str, Any]:
        rows = SessionState.objects.for_relationship(self._relationship.id).filter(session=self.session)
        return rows.values_list("state", flat=True).first() or {}

    @cached_property
    def entries(self) -> list[dict[str, str]]:
        if self._turn is None:
            return []
        rows = EntryRevision.objects.for_relationship(self._relationship.id)
        found = rows.filter(turn_id=self._turn.id, event__in=list(_EVENTS), after__isnull=False)
        return [
            {"event": _EVENTS[row.event], "type": row.after["type"], "content": folded(row.after["content"])}
            for row in found.order_by("seq")
        ]

    @cached_property
    def deletions_held(self) -> int:
        return _held(self._relationship.id)

    def happening(self, asked: HappensCondition) -> list[DatedEntry]:
        """What a moment found once it finds again, so that a run quotes what it is known to quote."""
        if asked not in self._happening:
            near = entries_near(self._relationship.id, asked, now=self.now, timezone=self.timezone)
            new = (entry for entry in near if entry.id not in self._told_today)
            self._happening[asked] = happening(new, asked, now=self.now, timezone=self.timezone)
        return self._happening[asked]

    @property
    def _spoken(self) -> Any:
        """Earlier messages, without results of tools, agents' reports and models' notes, which nobody said."""
        rows = Message.objects.for_relationship(self._relationship.id).exclude(role=MessageRole.TOOL)
        return rows.filter(seq__lt=self._turn.seq) if self._turn else rows

    @property
    def _earlier(self) -> Any:
        assert self._turn is not None, "a time of a schedule has no turns before it"
        return Turn.objects.for_relationship(self._relationship.id).filter(seq__lt=self._turn.seq)


Moment = ContextMoment | TurnMoment


def dated_entries(moment: Moment, condition: Condition) -> list[DatedEntry]:
    """The entries that meet any `happens` in a condition, each once."""
    asked = [part.happens for part in condition.parts() if part.happens is not None]
    return list(dict.fromkeys(entry for one in asked for entry in moment.happening(one)))


def variables_of(moment: Moment, behaviour: Behaviour) -> dict[str, Any]:
    """The variables of the behaviour's template, with the names of templates.EXAMPLE.

    What is said is on one line if the text is for a prompt of the companion's, among lines of the developer's.
    """
    said = folded if behaviour.action in PRIORITY else str
    local = moment.now.astimezone(ZoneInfo(moment.timezone))
    looked_up = "session profile state entries user companion timezone".split()
    return {
        **{name: getattr(moment, name) for name in looked_up},
        "message": shorten(said(moment.message), LONGEST_SAID),
        "reply": shorten(said(moment.reply), LONGEST_SAID),
        "today": local.date().isoformat(),
        "time": f"{local:%H:%M}",
        "turn": moment.turn,
        "dated": [entry.variables(moment.timezone) for entry in dated_entries(moment, behaviour.when)],
    }
