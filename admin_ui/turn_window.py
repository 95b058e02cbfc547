"""The turns of a conversation that a page shows: the newest, or those before, after or from some turn."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, Max, Min, OuterRef, Subquery

from admin_ui.params import parse_moment, parse_whole_number, text_param
from relationships.models import Turn

TURNS_AT_ONCE = 20
SESSIONS_LISTED = 200


@dataclass(frozen=True, slots=True)
class TurnWindow:
    """Consecutive turns, oldest first. `before`, `after`: the seq of the first and last one, None if no more follow."""

    turns: Sequence[Turn]
    before: int | None
    after: int | None


def window_of(relationship_id: UUID, query: Mapping[str, str]) -> TurnWindow:
    """Load turns by the query: `before`, `after` or `from` (a seq), `at` (a date), `session`; else the newest.

    At most two statements.
    """
    owned = Turn.objects.for_relationship(relationship_id)
    before = seq_of(query.get("before", ""))
    if not before and (start := _start(relationship_id, query)) is not None:
        follows = Exists(owned.filter(seq__lt=OuterRef("seq")))
        onwards = owned.filter(seq__gte=start).annotate(follows=follows).order_by("seq")
        if found := list(onwards[: TURNS_AT_ONCE + 1]):
            turns, later = found[:TURNS_AT_ONCE], len(found) > TURNS_AT_ONCE
            return TurnWindow(
                turns, turns[0].seq if turns[0].follows else None, turns[-1].seq if later else None
            )
    back = (owned.filter(seq__lt=before) if before else owned).order_by("-seq")
    found = list(back[: TURNS_AT_ONCE + 1])
    turns, earlier = found[TURNS_AT_ONCE - 1 :: -1], len(found) > TURNS_AT_ONCE
    return TurnWindow(turns, turns[0].seq if earlier else None, turns[-1].seq if turns and before else None)


def sessions_of(relationship_id: UUID) -> Iterable[Mapping[str, Any]]:
    """Return the newest sessions: `session`, the times of the `first` and `last` turn, and the count of `turns`."""
    rows = Turn.objects.for_relationship(relationship_id).order_by().values("session")
    counted = rows.annotate(first=Min("occurred_at"), last=Max("occurred_at"), turns=Count("*"))
    newest: Iterable[Mapping[str, Any]] = counted.order_by("-first")[:SESSIONS_LISTED]
    return newest


def _start(relationship_id: UUID, query: Mapping[str, str]) -> int | Subquery | None:
    """Return the first turn's seq, or a subquery for it; None if the query names no turn."""
    owned = Turn.objects.for_relationship(relationship_id)
    if (after := seq_of(query.get("after", ""))) is not None:
        return after + 1
    if (first := seq_of(query.get("from", ""))) is not None:
        return first
    if since := parse_moment(query.get("at", "")):
        return Subquery(owned.filter(occurred_at__gte=since).order_by("occurred_at", "seq").values("seq")[:1])
    if session := text_param(query, "session"):
        return Subquery(owned.filter(session=session).order_by("seq").values("seq")[:1])
    return None


def seq_of(text: str) -> int | None:
    return parse_whole_number(text, digits=15)
