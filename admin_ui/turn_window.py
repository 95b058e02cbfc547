"""Which turns of a conversation a page shows: the newest, those from a place on, or those before or after one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, Max, Min, OuterRef, Subquery
from django.utils.dateparse import parse_date

from admin_ui.params import text_param, whole_number
from relationships.models import Turn

TURNS_AT_ONCE = 20
SESSIONS_LISTED = 200


@dataclass(frozen=True, slots=True)
class TurnWindow:
    """Neighbours, oldest first. `before`, `after`: the seq of the turn at either edge; None where nothing follows."""

    turns: Sequence[Turn]
    before: int | None
    after: int | None


def window_of(relationship_id: UUID, query: Mapping[str, str]) -> TurnWindow:
    """`before` or `after` a turn, `from` one on, `at` a date, from a `session`'s start; else the newest. Two
    statements.
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
    """Newest first: when each `session` began (`first`), when something was `last` said in it, and its `turns`."""
    rows = Turn.objects.for_relationship(relationship_id).order_by().values("session")
    counted = rows.annotate(first=Min("occurred_at"), last=Max("occurred_at"), turns=Count("*"))
    newest: Iterable[Mapping[str, Any]] = counted.order_by("-first")[:SESSIONS_LISTED]
    return newest


def _start(relationship_id: UUID, query: Mapping[str, str]) -> int | Subquery | None:
    """The seq of the turn to begin with, or how to find it; None where nothing names one."""
    owned = Turn.objects.for_relationship(relationship_id)
    if (after := seq_of(query.get("after", ""))) is not None:
        return after + 1
    if (first := seq_of(query.get("from", ""))) is not None:
        return first
    if day := _date(query.get("at", "")):
        since = datetime.combine(day, time(), UTC)
        return Subquery(owned.filter(occurred_at__gte=since).order_by("occurred_at", "seq").values("seq")[:1])
    if session := text_param(query, "session"):
        return Subquery(owned.filter(session=session).order_by("seq").values("seq")[:1])
    return None


def seq_of(text: str) -> int | None:
    return whole_number(text, digits=15)


def _date(text: str) -> date | None:
    try:
        return parse_date(text)
    except ValueError:
        return None
