"""Which turns of a conversation a page shows: the newest, those from a place on, or those before or after one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
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


@dataclass(frozen=True, slots=True)
class SessionStart:
    session: str
    first: datetime
    last: datetime
    turns: int


def window_of(relationship_id: UUID, query: Mapping[str, str]) -> TurnWindow:
    """`before` or `after` a turn, `from` one on, `at` a date, from a `session`'s start; else the newest. Two
    statements.
    """
    owned = Turn.objects.for_relationship(relationship_id)
    if before := seq_of(query.get("before", "")):
        found = list(owned.filter(seq__lt=before).order_by("-seq")[: TURNS_AT_ONCE + 1])
        return _window(list(reversed(found[:TURNS_AT_ONCE])), earlier=len(found) > TURNS_AT_ONCE, later=True)
    if (start := _start(relationship_id, query)) is not None:
        follows = Exists(owned.filter(seq__lt=OuterRef("seq")))
        found = list(
            owned.filter(seq__gte=start).annotate(follows=follows).order_by("seq")[: TURNS_AT_ONCE + 1]
        )
        if found:
            return _window(found[:TURNS_AT_ONCE], earlier=found[0].follows, later=len(found) > TURNS_AT_ONCE)
    found = list(owned.order_by("-seq")[: TURNS_AT_ONCE + 1])
    return _window(list(reversed(found[:TURNS_AT_ONCE])), earlier=len(found) > TURNS_AT_ONCE, later=False)


def sessions_of(relationship_id: UUID) -> list[SessionStart]:
    """Newest first, with when each began and when something was last said in it."""
    rows = Turn.objects.for_relationship(relationship_id).order_by().values_list("session")
    found = rows.annotate(first=Min("occurred_at"), last=Max("occurred_at"), turns=Count("*")).order_by(
        "-first"
    )[:SESSIONS_LISTED]
    return [SessionStart(*row) for row in found]


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


def _window(turns: Sequence[Turn], *, earlier: bool, later: bool) -> TurnWindow:
    return TurnWindow(
        turns,
        before=turns[0].seq if turns and earlier else None,
        after=turns[-1].seq if turns and later else None,
    )


def seq_of(text: str) -> int | None:
    return whole_number(text, digits=15)


def _date(text: str) -> date | None:
    try:
        return parse_date(text)
    except ValueError:
        return None
