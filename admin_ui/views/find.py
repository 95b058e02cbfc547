"""Ctrl+K: find people, companions, pages and actions by a part of their name."""

from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from admin_ui.access import OperatorView
from admin_ui.names import name_matches
from admin_ui.navigation import PAGES
from admin_ui.params import text_param
from relationships.models import Companion, Relationship, Role

MOST_OF_A_KIND = 6
Found = tuple[str, str, str, str]  # href, icon, label, detail
WORKERS = ("overview_status", "play", "Workers")  # not in the navigation
ACTIONS = (  # view name, query and fragment, label, role
    ("companions", "#name", "Create companion", Role.EDITOR),
    ("playground", "", "Chat with a companion", Role.EDITOR),
    ("turns", "?state=failed", "Retry failed turns", Role.EDITOR),
    ("relationships", "?waits=1", "Review deletions and agents' work", Role.EDITOR),
    ("relationships", "", "Forget or correct something: choose the relationship", Role.EDITOR),
    ("relationships", "", "Erase a person: choose the relationship", Role.OWNER),
    ("keys", "#name", "Create API key", Role.OWNER),
    ("operators", "#email", "Invite an operator", Role.OWNER),
    ("relationships", "", "Create a token: choose the relationship", Role.OWNER),
    ("audit_export", "", "Export the audit log", Role.VIEWER),
)


class FindView(OperatorView):
    """The list of results below the field; a whole page without JavaScript."""

    def get(self, request: HttpRequest) -> HttpResponse:
        query = text_param(request.GET, "q", limit=100)
        found = [*self._people(query), *self._companions(query), *_pages(query), *self._actions(query)]
        return self.show("find/_found" if self.htmx else "find/page", found=found, q=query)

    def _people(self, query: str) -> list[Found]:
        rows = Relationship.objects.of_project(self.project_id).select_related("user", "companion")
        if query:
            rows = rows.filter(name_matches(query, "user__display_name", "user__external_id"))
        recent = rows.order_by(F("last_turn_at").desc(nulls_last=True), "id")[:MOST_OF_A_KIND]
        return [
            (
                reverse("admin_ui:relationship", args=[row.id]),
                "person",
                f"{row.user} and {row.companion.name}",
                f"{row.user.external_id}, {row.companion.slug}",
            )
            for row in recent
        ]

    def _companions(self, query: str) -> list[Found]:
        rows = Companion.objects.of_project(self.project_id)
        if query:
            rows = rows.filter(name_matches(query, "name", "slug"))
        return [
            (reverse("admin_ui:companion", args=[row.id]), "chat", row.name, row.slug)
            for row in rows.order_by("name", "id")[:MOST_OF_A_KIND]
        ]

    def _actions(self, query: str) -> list[Found]:
        return [
            (reverse(f"admin_ui:{name}") + part, "play", label, "action")
            for name, part, label, role in ACTIONS
            if query.casefold() in label.casefold() and self.access.may(role)
        ]


def _pages(query: str) -> list[Found]:
    return [
        (reverse(f"admin_ui:{name}"), icon, label, "page")
        for name, icon, label in (*PAGES, WORKERS)
        if query.casefold() in label.casefold()
    ]
