"""What a context looks up for its message beside the facts: each thing once, however many layers ask."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import NamedTuple
from uuid import UUID

from context.facts import Facts, RecentMessage, count_turns, recent_messages
from context.question import Question, question_of
from context.retrieved import FoundEntry, FoundMessage, read_entries, read_messages
from memory.entries.snapshots import Line
from memory.retrieval.gates import GateDecision, GateRequest, decide_gate
from memory.retrieval.results import EntryFilters, Hit, MessageFilters, SearchResult, reason_of
from memory.retrieval.search import search_entries, search_messages
from relationships.configuration.schema import Configuration
from web.errors import InvalidInput

_SPOKEN = ("user", "assistant")


class RecalledEntry(NamedTuple):
    """An entry that was found: its line, why it is there, and the messages it rests on."""

    line: Line
    reason: str
    cites: Sequence[str]


class RecalledMessage(NamedTuple):
    message: FoundMessage
    reason: str


@dataclass(frozen=True, slots=True)
class RecalledEntries:
    """Best first. `reason`: what was asked and how, or why nothing was; empty where there was nothing to ask of."""

    entries: Sequence[RecalledEntry] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RecalledMessages:
    """Best first; see RecalledEntries."""

    messages: Sequence[RecalledMessage] = ()
    reason: str = ""


class Recall:
    """The searches of one context. Nothing is asked before a layer wants it."""

    def __init__(
        self, facts: Facts, configuration: Configuration, message: str | None, now: datetime
    ) -> None:
        self._facts, self._configuration, self._said, self._now = facts, configuration, message, now
        self._cited_by: dict[str, list[str]] = {}

    @cached_property
    def recent(self) -> Sequence[RecentMessage]:
        """The recent messages, as many as the configuration wants."""
        return recent_messages(self._facts, limit=self._configuration.context.recent_messages)

    @cached_property
    def question(self) -> Question:
        facts = self._facts
        return question_of(self._said, recent=facts.messages, session=facts.session)

    @cached_property
    def gate(self) -> GateDecision:
        """Whether to search at all."""
        gate, facts = self._configuration.retrieval.gate, self._facts
        last = facts.messages[-1].said_at if facts.messages else None
        request = GateRequest(
            message=self._said or "",
            gate=gate,
            count_turns=lambda: self._turns,
            last_message_at=None if last is None else datetime.fromtimestamp(last, UTC),
            now=self._now,
        )
        return decide_gate(gate, request)

    @cached_property
    def _turns(self) -> int:
        """For a long session that is a statement, so a gate that has no need of it goes without."""
        return count_turns(self._facts)

    def entries(self, *, tiers: tuple[str, ...] = ()) -> RecalledEntries:
        """The entries of these tiers (none: any) that fit the message: no statement or two."""
        closed = self._closed
        if closed:
            return RecalledEntries(reason=closed)
        try:
            found = search_entries(
                project_id=self._facts.project_id,
                relationship_id=self._facts.relationship_id,
                text=self.question.text,
                retrieval=self._configuration.retrieval,
                filters=EntryFilters(tiers=tiers),
                now=self._now,
                participants=self._facts.participants,
            )
        except InvalidInput as error:  # a ranker that needs vectors, and no embedder
            return RecalledEntries(reason=f"nothing retrieved: {error}")
        known = read_entries(
            project_id=self._facts.project_id,
            relationship_id=self._facts.relationship_id,
            ids=[hit.id for hit in found.hits],
            now=self._now,
        )
        entries = [self._entry(hit, known[hit.id], found.ranker) for hit in found.hits if hit.id in known]
        return RecalledEntries(entries, self._told(len(entries), found))

    def messages(self, *, without: Collection[str] = ()) -> RecalledMessages:
        """The messages that fit the message and are not among `without`: no statement or two."""
        closed = self._closed
        if closed:
            return RecalledMessages(reason=closed)
        try:
            found = search_messages(
                project_id=self._facts.project_id,
                relationship_id=self._facts.relationship_id,
                text=self.question.text,
                retrieval=self._configuration.retrieval,
                filters=MessageFilters(roles=_SPOKEN, exclude_ids=frozenset(map(UUID, without))),
                now=self._now,
            )
        except InvalidInput as error:
            return RecalledMessages(reason=f"nothing retrieved: {error}")
        known = read_messages(
            project_id=self._facts.project_id,
            relationship_id=self._facts.relationship_id,
            ids=[hit.id for hit in found.hits],
        )
        messages = [self._message(hit, known[hit.id], found.ranker) for hit in found.hits if hit.id in known]
        return RecalledMessages(messages, self._told(len(messages), found))

    @property
    def _closed(self) -> str:
        """Why nothing is searched; empty: it is."""
        if not self.question.text:
            return f"nothing retrieved: {self.question.told}"
        return "" if self.gate.open else f"nothing retrieved: {self.gate.reason}"

    def _told(self, count: int, found: SearchResult) -> str:
        how = f"retrieved {count} by {found.ranker} ({'with vectors' if found.space else 'text alone'})"
        return "; ".join((f"{how} for {self.question.told}", f"gate {self.gate.reason}", *found.notes))

    def _entry(self, hit: Hit, found: FoundEntry, ranker: str) -> RecalledEntry:
        """With the messages it rests on, which remember it."""
        cites = [str(cited) for cited in found.cites]
        for cited in cites:
            self._cited_by.setdefault(cited, []).append(found.line[0])
        reasons = [
            f"retrieved by {reason_of(hit, ranker)}",
            *(f"rests on message {cited}" for cited in cites),
        ]
        return RecalledEntry(found.line, "; ".join(reasons), cites)

    def _message(self, hit: Hit, found: FoundMessage, ranker: str) -> RecalledMessage:
        """With the retrieved entries that rest on it."""
        entries = self._cited_by.get(str(hit.id), ())
        reasons = [
            f"retrieved by {reason_of(hit, ranker)}",
            *(f"entry {entry} rests on it" for entry in entries),
        ]
        return RecalledMessage(found, "; ".join(reasons))
