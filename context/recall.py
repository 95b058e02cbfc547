"""The searches of a context for its message: each runs once, however many layers need it."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from functools import cache, cached_property, partial
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID

from config.postgresql.sessions import prepared_cursor
from context.coreference import names_meant
from context.facts import Facts, RecentMessage, count_turns, recent_messages
from context.question import Question, question_of
from memory.aliases import LONGEST_SAYING, MOST_SAYINGS, sayings_among
from memory.entries.happens import zone_of
from memory.entries.snapshots import Line, LineRow, line_of
from memory.names_meant import telling_who
from memory.retrieval.gates import GateDecision, GateRequest, decide_gate
from memory.retrieval.questions import Participants
from memory.retrieval.relative_dates import past_span
from memory.retrieval.results import (
    EntryFilters,
    MessageFilters,
    SearchResult,
    reason_of,
    with_more,
)
from memory.retrieval.search import SearchParams, params_of, search_entries, search_messages
from relationships.configuration.schema import Configuration
from web.errors import InvalidInput

_SPOKEN = ("user", "assistant")
MOST_EARLIER = 8
SOON_TOLD = timedelta(days=31)  # after the time that is asked about: people often tell of what was so already
ALL_SHOWN = "nothing retrieved: all that was said stands among the recent messages"

# They read only what may be shown at that time, in case the index is behind.
ENTRIES = f"""
SELECT {", ".join(LineRow._fields)}, source_message_ids FROM memory_scratchpadentry
 WHERE relationship_id = %(relationship)s AND project_id = %(project)s AND id = ANY(%(ids)b) AND state = 'active'
   AND (valid_from IS NULL OR valid_from <= %(now)s) AND (valid_to IS NULL OR valid_to > %(now)s)
   AND (expires_at IS NULL OR expires_at > %(now)s)
"""  # noqa: S608 - our own column names
# `now` is the time that is asked about: what was replaced before it is older still.
EARLIER = f"""
SELECT {", ".join(LineRow._fields)}, valid_to FROM memory_scratchpadentry
 WHERE relationship_id = %(relationship)s AND project_id = %(project)s AND id = ANY(%(ids)b) AND state = 'superseded'
   AND valid_to > %(now)s
"""  # noqa: S608 - our own column names
MESSAGES = """
SELECT id, seq, role, speaker, content, date_part('epoch', occurred_at) FROM relationships_message
 WHERE relationship_id = %(relationship)s AND project_id = %(project)s AND id = ANY(%(ids)b)
   AND erased_at IS NULL AND hidden_at IS NULL
"""


class FoundMessage(NamedTuple):
    """A message that was found; `seq` is its place in the conversation."""

    id: UUID
    seq: int
    role: str
    speaker: str
    content: str
    said_at: float  # seconds since 1970


class RecalledEntry(NamedTuple):
    """An entry that was found: its line as in the snapshot, and why it was found."""

    line: Line
    reason: str


class RecalledMessage(NamedTuple):
    message: FoundMessage
    reason: str


R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Recalled(Generic[R]):
    """What was found, best first. `reason`: how it was searched, or why not; "" if there is nothing to search in."""

    found: Sequence[R] = ()
    reason: str = ""


@dataclass(eq=False)
class Recall:
    """The searches of one context, each run when a layer first needs it.

    `explain`: give a reason for everything found, which takes time.
    """

    _facts: Facts
    _configuration: Configuration
    _said: str | None
    _now: datetime
    explain: bool = False
    _cited_by: dict[UUID, list[str]] = field(default_factory=dict, init=False)
    _given: dict[Hashable, Any] = field(default_factory=dict, init=False)

    @cached_property
    def recent(self) -> Sequence[RecentMessage]:
        """The recent messages, as many as the configuration says."""
        return recent_messages(self._facts, limit=self._configuration.context.recent_messages)

    @cached_property
    def question(self) -> Question:
        facts = self._facts
        return question_of(self._said, recent=facts.messages, session=facts.session)

    @cached_property
    def gate(self) -> GateDecision:
        """The decision whether to search at all."""
        gate, facts = self._configuration.retrieval.gate, self._facts
        last = facts.messages[-1].said_at if facts.messages else None
        request = GateRequest(
            message=self._said or "",
            gate=gate,
            count_turns=cache(partial(count_turns, facts)),  # a statement, which few gates need
            last_message_at=None if last is None else datetime.fromtimestamp(last, UTC),
            now=self._now,
            names=(facts.user_name, facts.companion_name),
        )
        return decide_gate(gate, request)

    @cached_property
    def not_asked(self) -> str:
        """Why nothing is searched, in words for `explain`; "" if it is."""
        if not self.question.text:
            return f"nothing retrieved: {self.question.told}"
        return "" if self.gate.open else f"nothing retrieved: {self.gate.reason}"

    @cached_property
    def _participants(self) -> Participants:
        """The participants, with the scratchpad's sentences about other names of theirs."""
        newest = [line[2] for line in self._facts.scratchpad[: 10 * MOST_SAYINGS]]
        said = tuple(text[:LONGEST_SAYING] for text in sayings_among(newest)[:MOST_SAYINGS])
        return replace(self._facts.participants, sayings=said)

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of those whom the question means by "my boss" or "she". Two statements, if it has such a word and
        the list does not say who that is.
        """
        return names_meant(self.question, self._facts, self._telling_who, now=self._now)

    @cached_property
    def sought(self) -> str:
        """The question, with these names."""
        return " ".join([self.question.text, *self.names])

    def _telling_who(self, roles: str) -> Sequence[tuple[str, str]]:
        asked = params_of(self._configuration, **self._owner, now=self._now)
        asked["participants"] = self._facts.participants
        return telling_who(roles, **asked)

    @property
    def _owner(self) -> dict[str, UUID]:
        return {"project_id": self._facts.project_id, "relationship_id": self._facts.relationship_id}

    def entries(self, *, tiers: tuple[str, ...] = ()) -> Recalled[RecalledEntry]:
        """The entries of these tiers (none: any) that match the message. At most two statements.

        With no tiers nothing else is shown of the memory, so the result is filled up if hardly anything matches.
        """

        def search(asked: SearchParams) -> SearchResult:
            asked["fill"] = not tiers
            asked["participants"] = self._participants
            return search_entries(text=self.sought, filters=EntryFilters(tiers=tiers), **asked)

        return self.once(tiers, lambda: self._recall(search, ENTRIES, self._entry, any_there=True))

    def earlier(self) -> Sequence[Line]:
        """Entries that were replaced since the past time that the message asks about; none if it names no such time.
        Each has the day of the replacement as `ended`. At most two statements.
        """
        return self.once("earlier", self._earlier)

    def _earlier(self) -> Sequence[Line]:
        timezone = zone_of(self._facts.timezone)
        span = past_span(self.question.text, self._now.astimezone(timezone).date())
        if self.not_asked or span is None:
            return ()
        since, until = (datetime.combine(day, time(), timezone) for day in span)

        def search(asked: SearchParams) -> SearchResult:
            asked |= {"fill": True, "participants": self._participants, "top_k": MOST_EARLIER}
            filters = EntryFilters(states=("superseded",), told_to=until + SOON_TOLD)
            return search_entries(text=self.sought, filters=filters, **asked)

        def ended(row: Sequence[Any], why: str) -> Line:
            line = line_of(LineRow._make(row[:-1]))
            line[3] = {**(line[3] or {}), "ended": row[-1].astimezone(timezone).date().isoformat()}
            return line

        return self._recall(search, EARLIER, ended, any_there=True, at=since).found

    def messages(self, *, without: Collection[str] = ()) -> Recalled[RecalledMessage]:
        """The messages that match the message and are not among `without`. At most two statements."""

        def search(asked: SearchParams) -> SearchResult:
            asked["participants"] = self._participants
            places = tuple(message.seq for message in self.recent if message.id in without)
            filters = MessageFilters(roles=_SPOKEN, without=places)
            retrieval = asked["retrieval"]
            most, more = retrieval.top_messages, 0 if retrieval.reranker else retrieval.more_messages
            asked["top_k"] = most + more
            found = search_messages(text=self.sought, filters=filters, **asked)
            return replace(found, hits=with_more(found, most=most, more=more))

        any_there = bool(self._facts.messages)  # of another session, if this one has none
        if any_there and self._facts.are_all and all(one.id in without for one in self._facts.messages):
            return Recalled(reason=self.not_asked or ALL_SHOWN)
        return self.once(
            frozenset(without), lambda: self._recall(search, MESSAGES, self._message, any_there=any_there)
        )

    def once(self, asked: Hashable, find: Callable[[], T]) -> T:
        """Find each thing once: a layer that is rendered again, shorter, gets the same result."""
        if asked not in self._given:
            self._given[asked] = find()
        found: T = self._given[asked]
        return found

    def _recall(
        self,
        search: Callable[[SearchParams], SearchResult],
        statement: str,
        recalled: Callable[[Sequence[Any], str], R],
        *,
        any_there: bool,
        at: datetime | None = None,
    ) -> Recalled[R]:
        """Search, then read what was found with `statement`. `recalled` makes the result from a row and its reason.

        `at`: the statement's `now`, if it is another time.
        """
        if self.not_asked:
            return Recalled(reason=self.not_asked)
        if not any_there:
            return Recalled()
        own = self._owner
        try:
            result = search(params_of(self._configuration, **own, now=self._now))
        except InvalidInput as error:  # the ranker needs vectors, and there is no embedder
            return Recalled(reason=f"nothing retrieved: {error}")
        rows = read_rows(statement, [hit.id for hit in result.hits], **own, now=at or self._now)
        shown = [
            recalled(row, f"retrieved by {reason_of(hit, result.ranker)}" if self.explain else "")
            for hit in result.hits
            if (row := rows.get(hit.id))
        ]
        by = f"{result.ranker} ({'with vectors' if result.space else 'text alone'})"
        added = f", with the name{'s'[: len(self.names) - 1]} {', '.join(self.names)}" if self.names else ""
        how = f"retrieved {len(shown)} for {self.question.told}{added}, ranked by {by}"
        how += f", reranked by {result.reranker}" if result.reranker else ""
        told = (how, f"retrieve when {self.gate.reason}", *result.notes)
        return Recalled(shown, "; ".join(told))

    def _entry(self, row: Sequence[Any], why: str) -> RecalledEntry:
        """Make the result from a row; note which messages the entry cites, for `_message`."""
        line, cites = line_of(LineRow._make(row[:-1])), row[-1]
        for cited in cites:
            self._cited_by.setdefault(cited, []).append(line[0])
        return RecalledEntry(line, "; ".join([why, *(f"rests on message {cited}" for cited in cites)]))

    def _message(self, row: Sequence[Any], why: str) -> RecalledMessage:
        """Make the result from a row, with the retrieved entries that cite the message."""
        entries = self._cited_by.get(row[0], ())
        why = "; ".join([why, *(f"entry {entry} rests on it" for entry in entries)]) if entries else why
        return RecalledMessage(FoundMessage._make(row), why)


def read_rows(
    statement: str, ids: Sequence[UUID], *, project_id: UUID, relationship_id: UUID, now: datetime
) -> Mapping[UUID, Sequence[Any]]:
    """Read by ENTRIES or MESSAGES the rows that may be shown `now`, by ID. No statement without IDs."""
    if not ids:
        return {}
    params: dict[str, Any] = {"relationship": relationship_id, "project": project_id, "now": now}
    with prepared_cursor(binary=True) as cursor:
        cursor.execute(statement, {**params, "ids": list(ids)})
        return {row[0]: row for row in cursor.fetchall()}
