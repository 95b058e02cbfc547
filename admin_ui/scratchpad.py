"""The list of entries as the page shows it: filtered, in order, perhaps under one heading a type."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.contrib.postgres.aggregates import JSONBAgg
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest

from admin_ui.paging import Sort, order_of, page_of
from admin_ui.params import text_param
from memory.mending.matching import WithWords
from memory.models import EntryState, OperationResult, ScratchpadEntry, Tier
from providers.tokens import line_tokens
from relationships.models import Relationship, Turn
from web.pagination import sifted

PAGE_SIZE = 40  # entries
MOST_FOUND = 400  # by words
SORT = Sort({"said": ("effective_at", "id"), "type": ("type", "-effective_at", "-id")}, usual="-said")
ORDERS = (("-said", "newest first"), ("said", "oldest first"), ("type", "by type"))
STATES = ("active", *(state for state in EntryState.values if state != "active"), "any")


def scratchpad_of(
    relationship: Relationship,
    request: HttpRequest,
    *,
    budget: int,
    language: str,
    tier: str = Tier.SCRATCHPAD,
) -> dict[str, Any]:
    """The template's variables: `groups` of one page's entries, or how many `turns` there are if there are no entries;
    what the scratchpad takes and the archive holds, and the types there are. `tier`: to which what is new goes.
    `language`: whose endings a search knows.
    """
    filters = _filters_of(request.GET)
    owned = ScratchpadEntry.objects.for_relationship(relationship.id)
    rows = owned.filter(**_conditions(filters))
    found: QuerySet[ScratchpadEntry] | list[dict[str, Any]] = rows
    read_until = None
    if filters["text"]:
        names = SORT.names(order_of(request, SORT.columns, usual=SORT.usual))
        words = WithWords(relationship.id, filters["text"], text=itemgetter("content"), language=language)
        # no more of each than is looked at: whole entries take three times as long to read
        read = rows.values("content", *{name.lstrip("-") for name in names})
        found, read_until = sifted(read, names, MOST_FOUND, words)
    page = page_of(request, found, size=PAGE_SIZE, sort=SORT)
    entries = _whole(owned, page.rows) if filters["text"] else page.rows
    groups: dict[str, list[ScratchpadEntry]] = {}
    for entry in entries:
        groups.setdefault(entry.type if page.order == "type" else "", []).append(entry)
    archived, contents = _kept_by_type(relationship.id)
    used = sum(map(line_tokens, contents))
    return {
        "groups": list(groups.items()),
        "turns": () if groups else _turns_by_state(relationship.id),
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


def _whole(owned: QuerySet[ScratchpadEntry], rows: Sequence[dict[str, Any]]) -> list[ScratchpadEntry]:
    """The entries of these rows, in their order."""
    ids = [row["id"] for row in rows]
    found = {entry.id: entry for entry in owned.filter(id__in=ids)}
    return [found[entry_id] for entry_id in ids if entry_id in found]


def _kept_by_type(relationship_id: UUID) -> tuple[dict[str, int], list[str]]:
    """How many entries of each type the archive has, and what those of the scratchpad say. One statement."""
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


def _turns_by_state(relationship_id: UUID) -> list[tuple[str, int]]:
    turns = Turn.objects.for_relationship(relationship_id).order_by("state")
    return list(turns.values_list("state").annotate(Count("id")))


def held_of(relationship_id: UUID) -> list[tuple[list[OperationResult], bool]]:
    """Deletions that wait for a person's word, by what holds them, with whether any of their entries is still there;
    each with the `content` that would go and the `entry_state`. One statement.
    """
    entry = ScratchpadEntry.objects.for_relationship(relationship_id).filter(id=OuterRef("entry_id"))
    waiting = OperationResult.objects.for_relationship(relationship_id).waiting()
    rows = waiting.annotate(
        content=Subquery(entry.values("content")), entry_state=Subquery(entry.values("state"))
    )
    held: dict[UUID | None, list[OperationResult]] = {}
    for row in rows.order_by("id"):
        held.setdefault(row.held_id, []).append(row)
    return [
        (items, any(getattr(item, "entry_state", None) == EntryState.ACTIVE for item in items))
        for items in held.values()
    ]


def _filters_of(query: Mapping[str, str]) -> dict[str, str]:
    """What the address asks for; what it doesn't know is left out. `about`: a subject."""
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
