"""The people in a person's life, dated events, and values over time, from entries and their revisions."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.db.models import Count, Max, Q
from django.db.models.fields.json import KT

from admin_ui.params import parse_moment
from admin_ui.timeline import Event, Span, ValueHistory
from memory.entries.happens import span_of, told_as
from memory.models import EntryRevision, EntryState, RevisionEvent, ScratchpadEntry
from memory.models.entry import USER_SUBJECT
from relationships.models import Relationship

PEOPLE, FACTS, FACTS_EACH, MENTIONS_EACH = 40, 500, 4, 2
EVENTS, CHANGED, REVISIONS = 200, 300, 2000
NODES, NODE_DOTS, HUB_DOTS = 8, 10, 16  # of the graph: people, and facts around each and around the middle
WIDTH, HEIGHT, RING_X, RING_Y = 460, 390, 160, 135  # of the graph, in units of the SVG
NODE_RADIUS, HUB_RADIUS = 32, 44  # of the facts around a person


@dataclass(frozen=True, slots=True)
class Fact:
    entry_id: UUID
    text: str


@dataclass(slots=True)
class Person:
    """A subject of entries. `count`: of all its entries; `mentions`: facts about others that name it."""

    name: str
    count: int
    facts: list[Fact] = field(default_factory=list)
    mentions: list[Fact] = field(default_factory=list)

    @property
    def shown(self) -> Sequence[tuple[Fact, bool]]:
        """The first facts and mentions, each with whether it is a mention."""
        first = [(fact, False) for fact in self.facts[:FACTS_EACH]]
        return [*first, *((fact, True) for fact in self.mentions[:MENTIONS_EACH])]

    @property
    def more(self) -> int:
        return self.count - len(self.facts[:FACTS_EACH])


@dataclass(frozen=True, slots=True)
class Node:
    """A person around the middle: either `person`, an index in the list of people, or a single `fact`."""

    x: float
    y: float
    name: str
    fact: Fact | None
    person: int | None
    mention: str
    dots: Sequence[tuple[float, float, Fact]]


@dataclass(frozen=True, slots=True)
class Graph:
    """`x`, `y`: the middle. `dots`: the facts around it."""

    nodes: Sequence[Node]
    dots: Sequence[tuple[float, float, Fact]]
    x: int
    y: int
    height: int
    width: int = WIDTH


def people_of(relationship_id: UUID) -> tuple[list[Person], list[Fact], list[Fact]]:
    """Return the subjects with the most entries; the user's facts of type `relationship` that name none of them; and
    the user's other facts. Two statements.
    """
    owned = ScratchpadEntry.objects.for_relationship(relationship_id).active()
    others = owned.exclude(subject=USER_SUBJECT).order_by().values_list("subject")
    counted = others.annotate(n=Count("id"), last=Max("effective_at")).order_by("-n", "-last")[:PEOPLE]
    people = {name: Person(name, count) for name, count, _ in counted}
    rows = owned.filter(subject__in=[USER_SUBJECT, *people]).order_by("-effective_at", "-id")[:FACTS]
    ties: list[Fact] = []
    rest: list[Fact] = []
    for entry_id, subject, kind, content in rows.values_list("id", "subject", "type", "content"):
        fact = Fact(entry_id, content)
        named = _named_in(content, (name for name in people if name != subject))
        for name in named:
            people[name].mentions.append(fact)
        if subject in people:
            people[subject].facts.append(fact)
        else:
            (ties if kind == "relationship" and not named else rest).append(fact)
    return list(people.values()), ties, rest


def graph_of(people: Sequence[Person], ties: Sequence[Fact], rest: Sequence[Fact]) -> Graph:
    """Place the user in the middle and the first people around, then the single facts of type `relationship`."""
    shown: list[tuple[int | None, Fact | None]] = [(place, None) for place in range(len(people))]
    shown = [*shown, *((None, fact) for fact in ties)][:NODES]
    few = len(shown) <= 2  # one or two are to the left and right, more begin at the top
    height = HEIGHT // 2 if few else HEIGHT
    middle_x, middle_y = WIDTH // 2, height // 2 - 10
    nodes = []
    for place, (index, fact) in enumerate(shown):
        angle = 2 * math.pi * place / len(shown) - math.pi / (1 if few else 2)
        x, y = middle_x + RING_X * math.cos(angle), middle_y + RING_Y * math.sin(angle)
        person = people[index] if index is not None else Person(fact.text if fact else "", 1)
        mention = person.mentions[0].text if person.mentions else ""
        dots = _around(x, y, person.facts[:NODE_DOTS], NODE_RADIUS)
        nodes.append(Node(round(x, 1), round(y, 1), person.name, fact, index, mention, dots))
    dots = _around(middle_x, middle_y, rest[:HUB_DOTS], HUB_RADIUS)
    return Graph(nodes, dots, middle_x, middle_y, height)


def events_of(relationship: Relationship) -> list[Event]:
    """Return entries with a date, in the order of their dates; if there are too many, the last told. One statement."""
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


def value_histories_of(relationship_id: UUID) -> list[ValueHistory]:
    """Return the values of each key over time, and entries without a key whose content changed. The user's come first.

    Two statements.
    """
    entries = ScratchpadEntry.objects.for_relationship(relationship_id)
    changed = entries.filter(Q(key__isnull=False) | Q(version__gt=1)).order_by("-effective_at", "-id")
    columns = changed.values("id", "subject", "key", "type", "single_valued")[:CHANGED]
    by_id = {row["id"]: row for row in columns}
    revisions = EntryRevision.objects.for_relationship(relationship_id).filter(entry_id__in=list(by_id))
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
    groups: dict[tuple[str, str, UUID | None], list[Span]] = {}
    multiple: set[tuple[str, str, UUID | None]] = set()  # groups that may have several values at a time
    for entry_id, of_entry in steps.items():
        entry = by_id[entry_id]
        subject = "" if entry["subject"] == USER_SUBJECT else entry["subject"]
        # An entry without a key is a group of its own, named by its type.
        group = (subject, entry["key"] or entry["type"], None if entry["key"] else entry_id)
        groups.setdefault(group, []).extend(_spans(entry_id, of_entry))
        if not entry["single_valued"]:
            multiple.add(group)
    found = [
        ValueHistory(*group[:2], group[2] is None, spans if group in multiple else _ended_by_next(spans))
        for group, spans in groups.items()
        if spans and (group[2] is None or len({span.text for span in spans}) > 1)
    ]
    return sorted(
        found, key=lambda row: (bool(row.about), not row.keyed, -len(row.spans), row.about, row.name)
    )


def _spans(entry_id: UUID, steps: Sequence[Mapping[str, Any]]) -> list[Span]:
    """Return the contents of an entry over time. `steps`: its revisions, in order."""
    found: list[Span] = []
    was_active = False
    for step in steps:
        active = step["state"] == EntryState.ACTIVE
        begins = parse_moment(step["valid_from"] or "") or step["effective_at"]
        ends = parse_moment(step["valid_to"] or "")
        same = was_active and active and found[-1].text == step["text"]
        if same:
            found[-1] = replace(found[-1], ends=ends)
        elif was_active:
            end = begins if active else ends or step["effective_at"]
            found[-1] = replace(found[-1], ends=max(end, found[-1].begins))
        if active and not same:
            found.append(Span(entry_id, step["text"] or "", begins, ends))
        was_active = active
    return found


def _ended_by_next(spans: Sequence[Span]) -> list[Span]:
    """Sort the values of a single-valued key, and end each when the next begins."""
    rows = sorted(spans, key=lambda span: span.begins)
    return [
        replace(row, ends=min(row.ends or after.begins, after.begins)) for row, after in pairwise(rows)
    ] + rows[-1:]


def _named_in(content: str, names: Iterable[str]) -> list[str]:
    """Return the names that the text contains as whole words."""
    text = _words(content)
    return [name for name in names if _words(name) in text]


def _words(text: str) -> str:
    return f" {' '.join(''.join(c if c.isalnum() else ' ' for c in text).split())} "


def _around(x: float, y: float, facts: Sequence[Fact], radius: int) -> list[tuple[float, float, Fact]]:
    """Place the facts on a circle, starting at its right."""
    step = 2 * math.pi / max(1, len(facts))
    return [
        (round(x + radius * math.cos(step * place), 1), round(y + radius * math.sin(step * place), 1), fact)
        for place, fact in enumerate(facts)
    ]
