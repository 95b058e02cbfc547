"""Who is in a person's life, what is known of each, and what changed over time: read from entries and revisions."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.db.models import Count, Max, Q
from django.db.models.fields.json import KT

from admin_ui.timeline import Event, Lifeline, Stretch
from memory.entries.happens import span_of, told_as
from memory.models import EntryRevision, EntryState, RevisionEvent, ScratchpadEntry
from memory.models.entry import USER_SUBJECT
from relationships.models import Relationship

PEOPLE, FACTS, FACTS_EACH = 40, 500, 4
EVENTS, CHANGED, REVISIONS = 200, 300, 2000
DRAWN, DOTS = 8, 10  # people of the graph, and facts of each in it
WIDTH, HEIGHT, RING_X, RING_Y = 460, 390, 160, 135  # of the graph, in its own units
AROUND = 32  # from a person's middle to their facts


@dataclass(frozen=True, slots=True)
class Fact:
    entry_id: UUID
    text: str


@dataclass(slots=True)
class Person:
    """Somebody or something that entries are about. `count`: of all their facts, `ties`: what others' facts say."""

    name: str
    count: int
    facts: list[Fact] = field(default_factory=list)
    ties: list[Fact] = field(default_factory=list)

    @property
    def shown(self) -> Sequence[tuple[Fact, bool]]:
        """The first of them, each with whether it is another's fact that names this one."""
        first = [(fact, False) for fact in self.facts[:FACTS_EACH]]
        return [*first, *((fact, True) for fact in self.ties[:2])]

    @property
    def more(self) -> int:
        return self.count - len(self.facts[:FACTS_EACH])


@dataclass(frozen=True, slots=True)
class Node:
    """One of the graph. `person`: its place in the list, None where it is a single fact of the person in the middle."""

    x: float
    y: float
    name: str
    fact: Fact | None
    person: int | None
    tie: str
    dots: Sequence[tuple[float, float, Fact]]


@dataclass(frozen=True, slots=True)
class Graph:
    nodes: Sequence[Node]
    dots: Sequence[tuple[float, float, Fact]]
    height: int
    width: int = WIDTH
    x: int = WIDTH // 2

    @property
    def y(self) -> int:
        return self.height // 2 - 10


def people_of(relationship_id: UUID) -> tuple[list[Person], list[Fact], list[Fact]]:
    """Those that most is known of, each with their facts; of the person themselves who else is in their life, and the
    rest. Two statements.
    """
    owned = ScratchpadEntry.objects.for_relationship(relationship_id).active()
    others = owned.exclude(subject=USER_SUBJECT).order_by().values_list("subject")
    counted = others.annotate(n=Count("id"), last=Max("effective_at")).order_by("-n", "-last")[:PEOPLE]
    people = {name: Person(name, count) for name, count, _ in counted}
    rows = owned.filter(subject__in=[USER_SUBJECT, *people]).order_by("-effective_at", "-id")[:FACTS]
    bonds: list[Fact] = []
    rest: list[Fact] = []
    for entry_id, subject, kind, content in rows.values_list("id", "subject", "type", "content"):
        fact = Fact(entry_id, content)
        tied = _named(content, people, but=subject)
        for name in tied:
            people[name].ties.append(fact)
        if subject in people:
            people[subject].facts.append(fact)
        else:
            (bonds if kind == "relationship" and not tied else rest).append(fact)
    return list(people.values()), bonds, rest


def graph_of(people: Sequence[Person], bonds: Sequence[Fact], rest: Sequence[Fact]) -> Graph:
    """The person in the middle, the others around: those with facts of their own first, then whom one fact names."""
    shown: list[tuple[int | None, Fact | None]] = [(place, None) for place in range(len(people))]
    shown = [*shown, *((None, fact) for fact in bonds)][:DRAWN]
    few = len(shown) <= 2  # to the left and right of the person, who else has them above as well
    graph = Graph([], [], HEIGHT // 2 if few else HEIGHT)
    nodes = []
    for place, (person, fact) in enumerate(shown):
        angle = 2 * math.pi * place / len(shown) - math.pi / (1 if few else 2)
        x, y = graph.x + RING_X * math.cos(angle), graph.y + RING_Y * math.sin(angle)
        known = people[person] if person is not None else None
        name, facts = (known.name, known.facts) if known else (fact.text if fact else "", [])
        tie = known.ties[0].text if known and known.ties else ""
        nodes.append(Node(round(x, 1), round(y, 1), name, fact, person, tie, _around(x, y, facts, AROUND)))
    return replace(graph, nodes=nodes, dots=_around(graph.x, graph.y, rest, AROUND + 12))


def events_of(relationship: Relationship) -> list[Event]:
    """What has a date of its own, in its order; where there are too many, what was told last. One statement."""
    rows = ScratchpadEntry.objects.for_relationship(relationship.id).filter(happens_at__isnull=False)
    rows = rows.exclude(state=EntryState.DELETED).order_by("-effective_at", "-id")[:EVENTS]
    events = []
    for entry in rows.only("id", "relationship_id", "content", "happens_at", "state"):
        assert entry.happens_at is not None
        span = span_of(entry.happens_at, relationship.timezone)
        told = told_as(entry.happens_at, relationship.timezone)
        ended = entry.state != EntryState.ACTIVE
        events.append(Event(entry.id, entry.content, told, span.begins, span.ends, ended))
    return sorted(events, key=lambda event: event.begins)


def lifelines_of(relationship_id: UUID) -> list[Lifeline]:
    """What each key was over time, and what else has changed its words; the person's own first. Two statements."""
    entries = ScratchpadEntry.objects.for_relationship(relationship_id)
    changed = entries.filter(Q(key__isnull=False) | Q(version__gt=1)).order_by("-effective_at", "-id")[
        :CHANGED
    ]
    named = {row["id"]: row for row in changed.values("id", "subject", "key", "type", "single_valued")}
    revisions = EntryRevision.objects.for_relationship(relationship_id).filter(entry_id__in=list(named))
    steps: dict[UUID, list[Mapping[str, Any]]] = {}
    rows = revisions.exclude(event=RevisionEvent.NONE).filter(after__isnull=False).order_by("seq")
    for row in rows.values(
        "entry_id",
        "effective_at",
        text=KT("after__content"),
        state=KT("after__state"),
        valid_from=KT("after__valid_from"),
        valid_to=KT("after__valid_to"),
    )[:REVISIONS]:
        steps.setdefault(row["entry_id"], []).append(row)
    lines: dict[tuple[str, str, UUID | None], list[Stretch]] = {}
    many: set[tuple[str, str, UUID | None]] = set()  # those of which several may hold at once
    for entry_id, of_entry in steps.items():
        entry = named[entry_id]
        subject = "" if entry["subject"] == USER_SUBJECT else entry["subject"]
        # What has no key is a line of its own, named by what kind of thing it is.
        line = (subject, entry["key"] or entry["type"], None if entry["key"] else entry_id)
        lines.setdefault(line, []).extend(_stretches(entry_id, of_entry))
        if not entry["single_valued"]:
            many.add(line)
    found = [
        Lifeline(
            about, name, alone is None, stretches if (about, name, alone) in many else _in_turn(stretches)
        )
        for (about, name, alone), stretches in lines.items()
        if stretches and (alone is None or len({stretch.text for stretch in stretches}) > 1)
    ]
    return sorted(
        found,
        key=lambda line: (bool(line.about), not line.keyed, -len(line.stretches), line.about, line.name),
    )


def _stretches(entry_id: UUID, steps: Sequence[Mapping[str, Any]]) -> list[Stretch]:
    """What one entry said, from when until when."""
    found: list[Stretch] = []
    holds = False  # whether the last of them does, before this step
    for step in steps:
        active, at, until = (
            step["state"] == EntryState.ACTIVE,
            step["effective_at"],
            _moment(step["valid_to"]),
        )
        begins = _moment(step["valid_from"]) or at
        same = holds and active and found[-1].text == step["text"]
        if same:
            found[-1] = replace(found[-1], ends=until)
        elif holds:
            end = begins if active else until or at
            found[-1] = replace(found[-1], ends=max(end, found[-1].begins))
        if active and not same:
            found.append(Stretch(entry_id, step["text"] or "", begins, until))
        holds = active
    return found


def _in_turn(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Of a key with one value at a time: each until the next."""
    rows = sorted(stretches, key=lambda stretch: stretch.begins)
    return [
        replace(row, ends=min(row.ends or after.begins, after.begins)) for row, after in pairwise(rows)
    ] + rows[-1:]


def _named(content: str, people: Iterable[str], *, but: str) -> list[str]:
    """Whose names stand in a text as words."""
    text = _words(content)
    return [name for name in people if name != but and _words(name) in text]


def _words(text: str) -> str:
    return f" {' '.join(''.join(c if c.isalnum() else ' ' for c in text).split())} "


def _around(x: float, y: float, facts: Sequence[Fact], far: int) -> list[tuple[float, float, Fact]]:
    shown = facts[: DOTS if far == AROUND else DOTS + 6]
    step = 2 * math.pi / max(1, len(shown))
    return [
        (round(x + far * math.cos(step * place), 1), round(y + far * math.sin(step * place), 1), fact)
        for place, fact in enumerate(shown)
    ]


def _moment(text: str | None) -> datetime | None:
    if not text:
        return None
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
