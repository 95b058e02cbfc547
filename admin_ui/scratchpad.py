"""The list of entries as the page shows it: filtered, in order, perhaps under one heading a type."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest

from admin_ui.paging import page_of
from admin_ui.params import text_param
from memory.entries.held import deletions_of
from memory.mending.matching import WithWords
from memory.models import EntryState, HeldDeletion, ScratchpadEntry, Tier
from providers.tokens import line_tokens
from relationships.models import Relationship
from web.pagination import sifted

PAGE_SIZE = 40  # entries
MOST_FOUND = 400  # by words
STATES = ("active", *(state for state in EntryState.values if state != "active"), "any")


@dataclass(frozen=True, slots=True)
class Filters:
    """What the address asks for; what it doesn't know is left out."""

    text: str = ""
    type: str = ""
    state: str = "active"
    tier: str = ""
    about: str = ""  # a subject
    grouped: bool = False

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        state, tier = query.get("state", "active"), query.get("tier", "")
        return cls(
            text=text_param(query, "text"),
            type=text_param(query, "type"),
            state=state if state in STATES else "active",
            tier=tier if tier in Tier.values else "",
            about=text_param(query, "about"),
            grouped=query.get("order") == "type",
        )


def scratchpad_of(
    relationship: Relationship, request: HttpRequest, *, budget: int, tier: str = Tier.SCRATCHPAD
) -> dict[str, Any]:
    """The template's variables: `groups` of one page's entries, what the scratchpad takes and the archive holds, and
    the types there are. `tier`: to which what is new goes.
    """
    filters = Filters.of(request.GET)
    owned = ScratchpadEntry.objects.for_relationship(relationship.id)
    rows = owned.filter(**_conditions(filters))
    order = ["type", "-effective_at", "-id"] if filters.grouped else ["-effective_at", "-id"]
    found: QuerySet[ScratchpadEntry] | list[ScratchpadEntry] = rows.order_by(*order)
    read_until = None
    if filters.text:
        found, read_until = sifted(rows, order, MOST_FOUND, WithWords(relationship.id, filters.text))
    page = page_of(request, found, size=PAGE_SIZE)
    groups: dict[str, list[ScratchpadEntry]] = {}
    for entry in page.rows:
        groups.setdefault(entry.type if filters.grouped else "", []).append(entry)
    contents = list(owned.active().in_scratchpad().values_list("content", flat=True))
    used = sum(map(line_tokens, contents))
    archived = Count("id", filter=Q(state=EntryState.ACTIVE, tier=Tier.ARCHIVE))
    by_type = dict(owned.order_by().values_list("type").annotate(archived=archived))
    return {
        "groups": list(groups.items()),
        "filters": filters,
        "page": page,
        "more_to_read": read_until is not None,
        "used": used,
        "budget": budget,
        "share": round(100 * used / budget) if budget else None,
        "entry_count": len(contents),
        "archive_count": sum(by_type.values()),
        "archive_first": tier == Tier.ARCHIVE,
        "types": sorted(by_type),
        "states": STATES,
        "tiers": Tier.values,
    }


def held_of(relationship_id: UUID) -> list[tuple[HeldDeletion, list[tuple[str, str]]]]:
    """What waits for a person's word: each with (content, reason) of what would go. Three statements at the most."""
    held = list(HeldDeletion.objects.for_relationship(relationship_id).waiting().order_by("recorded_at"))
    deletions = deletions_of(relationship_id, [row.id for row in held])
    ids = {item.entry_id for items in deletions.values() for item in items}
    owned = ScratchpadEntry.objects.for_relationship(relationship_id).filter(id__in=ids)
    contents = dict(owned.values_list("id", "content")) if ids else {}
    return [
        (row, [(contents.get(item.entry_id, "(gone)"), item.held_reason) for item in deletions[row.id]])
        for row in held
    ]


def _conditions(filters: Filters) -> dict[str, Any]:
    conditions: dict[str, Any] = {}
    if filters.type:
        conditions["type"] = filters.type
    if filters.about:
        conditions["subject"] = filters.about
    if filters.state != "any":
        conditions["state"] = filters.state
    if filters.tier:
        conditions["tier"] = filters.tier
    return conditions
