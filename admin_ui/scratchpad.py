"""The list of a relationship's entries: filtered, sorted, and grouped by type if sorted by it; and held deletions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.contrib.postgres.aggregates import JSONBAgg
from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.http import HttpRequest

from admin_ui.paging import Page, Sort, order_of, page_of
from admin_ui.params import text_param
from memory.mending.matching import WithWords
from memory.models import EntryState, OperationResult, ScratchpadEntry, Tier
from providers.tokens import line_tokens
from relationships.models import Relationship, Turn
from web.pagination import sifted

PAGE_SIZE = 40  # entries
MOST_FOUND = 400  # entries that a search by words finds
SORT = Sort({"said": ("effective_at", "id"), "type": ("type", "-effective_at", "-id")}, default="-said")
ORDERS = (("-said", "newest first"), ("said", "oldest first"), ("type", "by type"))
STATES = ("active", *(state for state in EntryState.values if state != "active"), "any")


def scratchpad_of(
    relationship: Relationship, request: HttpRequest, *, budget: int, language: str, tier: str
) -> dict[str, Any]:
    """Return the template's variables. `groups`: the page's entries by heading; `turns`: their counts by state, if
    there are no entries; `used`, `share`: the scratchpad's tokens, also in per cent of the `budget`.

    `tier`: of new entries. `language`: for the search by words.
    """
    filters = _filters_of(request.GET)
    owned = ScratchpadEntry.objects.for_relationship(relationship.id)
    found: Any = owned.filter(**_conditions(filters))
    read_until = None
    if filters["text"]:
        names = SORT.names(order_of(request, SORT.columns, default=SORT.default))
        words = WithWords(relationship.id, filters["text"], text=itemgetter("content"), language=language)
        # only the columns that are needed, as reading whole entries takes three times as long
        columns = found.values("content", *{name.lstrip("-") for name in names})
        found, read_until = sifted(columns, names, MOST_FOUND, words)
    page = page_of(request, found, size=PAGE_SIZE, sort=SORT)
    entries = page.rows
    if filters["text"]:
        by_id = {entry.id: entry for entry in owned.filter(id__in=[row["id"] for row in page.rows])}
        entries = [by_id[row["id"]] for row in page.rows if row["id"] in by_id]
    groups: dict[str, list[ScratchpadEntry]] = {}
    for entry in entries:
        groups.setdefault(entry.type if page.order == "type" else "", []).append(entry)
    turns = Turn.objects.for_relationship(relationship.id)
    archived, contents = _active_entries(relationship.id)
    used = sum(map(line_tokens, contents))
    return {
        "groups": list(groups.items()),
        "turns": () if groups else turns.values_list("state").annotate(Count("id")).order_by("state"),
        "filters": filters,
        "orders": ORDERS,
        "page": page,
        "more_to_read": read_until is not None,
        "used": used,
        "budget": budget,
        "share": round(100 * used / budget) if budget else None,
        "entry_count": len(contents),
        "archive_count": sum(archived.values()),
        "archive_first": tier == Tier.ARCHIVE,
        "types": sorted(archived),
        "states": STATES,
        "tiers": Tier.values,
    }


def _active_entries(relationship_id: UUID) -> tuple[dict[str, int], list[str]]:
    """Return the number of archived entries by type, for all types that exist, and the scratchpad's contents.

    One statement.
    """
    active = Q(state=EntryState.ACTIVE)
    rows = ScratchpadEntry.objects.for_relationship(relationship_id).order_by().values_list("type")
    by_type = rows.annotate(
        archived=Count("id", filter=active & Q(tier=Tier.ARCHIVE)),
        contents=JSONBAgg("content", filter=active & Q(tier=Tier.SCRATCHPAD)),
    )
    archived: dict[str, int] = {}
    contents: list[str] = []
    for name, count, listed in by_type:
        archived[name] = count
        contents += listed or ()
    return archived, contents


@dataclass(frozen=True, slots=True)
class Review:
    """A held deletion that awaits review. `deletions`: those on this page, each with its entry's `content` and
    `entry_state`; `total`, `left`: of how many entries it is in all, and how many of these are active.
    """

    deletions: Sequence[OperationResult]
    total: int
    left: int


def reviews_of(relationship_id: UUID, request: HttpRequest) -> Page:
    """Return a page of the deletions that await review, as one Review for each held deletion. Two statements."""
    entry = ScratchpadEntry.objects.for_relationship(relationship_id).filter(id=OuterRef("entry_id"))
    owned = OperationResult.objects.for_relationship(relationship_id)
    rows = owned.waiting().annotate(
        content=Subquery(entry.values("content")), entry_state=Subquery(entry.values("state"))
    )
    page = page_of(request, rows.order_by("held_id", "id"), name="held")
    held: dict[UUID | None, list[OperationResult]] = {}
    for row in page.rows:
        held.setdefault(row.held_id, []).append(row)
    counts = owned.filter(held_id__in=list(held)).order_by().values_list("held_id")
    counted = (
        counts.annotate(total=Count("id"), left=Count("id", filter=Exists(entry.active()))) if held else ()
    )
    of_all = {held_id: (total, left) for held_id, total, left in counted}
    return replace(page, rows=[Review(deletions, *of_all[held_id]) for held_id, deletions in held.items()])


def _filters_of(query: Mapping[str, str]) -> dict[str, str]:
    """Return the URL's filters, with unknown states and tiers replaced by the default. `about`: a subject."""
    state, tier = query.get("state", ""), query.get("tier", "")
    return {
        "text": text_param(query, "text"),
        "type": text_param(query, "type"),
        "state": state if state in STATES else "active",
        "tier": tier if tier in Tier.values else "",
        "about": text_param(query, "about"),
    }


def _conditions(filters: Mapping[str, str]) -> dict[str, str]:
    chosen = {"type": filters["type"], "tier": filters["tier"], "subject": filters["about"]}
    if filters["state"] != "any":
        chosen["state"] = filters["state"]
    return {name: value for name, value in chosen.items() if value}
