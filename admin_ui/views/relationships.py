"""The relationships of a project, filtered by person, companion, words in entries, type or open reviews."""

from collections import Counter
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse

from admin_ui.access import OperatorView
from admin_ui.awaiting_review import awaiting_review, memory_awaiting_review, workspace_awaiting_review
from admin_ui.excerpts import excerpt_of
from admin_ui.names import companion_options, name_matches
from admin_ui.paging import Sort, page_of
from admin_ui.params import parse_uuid, text_param
from admin_ui.turns import WAITING
from memory.entries.words import lines_that_say, relationships_that_say
from memory.models import EntryState, ScratchpadEntry
from relationships.models import Relationship, Turn, TurnState
from relationships.models.end_user import called

_RECENT = (F("last_turn_at").desc(nulls_last=True), "-created_at", "id")
_ENTRIES = ScratchpadEntry.objects.filter(relationship_id=OuterRef("id"), state=EntryState.ACTIVE).order_by()
SORT = Sort(
    {
        "person": (called("user__"), "id"),
        "last": (F("last_turn_at").asc(nulls_first=True), "created_at", "-id"),
        "created": ("created_at", "id"),
        "companion": ("companion__name", "companion__slug", *_RECENT),
        "entries": (
            Subquery(_ENTRIES.values("relationship_id").annotate(n=Count("id")).values("n")).asc(
                nulls_first=True
            ),
            *_RECENT,
        ),
    },
    default="-last",
    bounded=("companion", "entries"),
    newest=_RECENT,
)


class RelationshipsView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        page = page_of(request, self._found(), sort=SORT, related=("user", "companion"))
        ids = [relationship.id for relationship in page.rows]
        text = text_param(request.GET, "text")
        found = lines_that_say(relationship_ids=ids, text=text) if text else {}
        lines = {owner: (entry_id, excerpt_of(line, text)) for owner, (entry_id, line) in found.items()}
        rows = [
            {"relationship": row, "line": lines.get(row.id), **counts}
            for row, counts in zip(page.rows, _counts_of(ids), strict=True)
        ]
        return self.show_or_part(
            "relationships/list",
            "relationships/_table",
            target="found",
            page=page,
            rows=rows,
            companions=companion_options(request, self.project_id),
            query=request.GET,
        )

    def _found(self) -> QuerySet[Relationship]:
        params = self.request.GET
        rows = Relationship.objects.of_project(self.project_id)
        rows = rows.filter(user__project_id=self.project_id)  # so that the index on users' names is used
        if person := text_param(params, "person"):
            rows = rows.filter(name_matches(person, "user__display_name", "user__external_id"))
        if companion := parse_uuid(params.get("companion", "")):
            rows = rows.filter(companion_id=companion)
        if text := text_param(params, "text"):
            rows = rows.filter(id__in=relationships_that_say(project_id=self.project_id, text=text))
        if type := text_param(params, "type"):
            rows = rows.filter(Exists(_ENTRIES.filter(type=type)))
        if params.get("waits"):
            rows = rows.filter(id__in=awaiting_review(project_id=self.project_id))
        return rows


def _counts_of(relationship_ids: list[UUID]) -> list[dict[str, int]]:
    """Count each relationship's entries, open and failed turns, and reviews. In order. Four statements."""
    owned: dict[str, Any] = {"relationship_id__in": relationship_ids}
    entries = _by_relationship(ScratchpadEntry.objects.filter(**owned, state=EntryState.ACTIVE))
    held, of_agents = Counter(memory_awaiting_review(**owned)), Counter(workspace_awaiting_review(**owned))
    turns = Turn.objects.filter(**owned, state__in=[*WAITING, TurnState.FAILED])
    states = _by_relationship(turns, "state")
    return [
        {
            "entries": entries[key,],
            "held": held[key],
            "of_agents": of_agents[key],
            "open": sum(states[key, state] for state in WAITING),
            "failed": states[key, TurnState.FAILED],
        }
        for key in relationship_ids
    ]


def _by_relationship(rows: QuerySet[Any, Any], *columns: str) -> Counter[tuple[Any, ...]]:
    """Count the rows by relationship and the values of `columns`."""
    counted = rows.order_by().values_list("relationship_id", *columns).annotate(count=Count("id"))
    return Counter({tuple(group): count for *group, count in counted})
