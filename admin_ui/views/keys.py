"""API keys: made and shown once, seen at work, limited, revoked."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from admin_ui.access import OperatorView
from admin_ui.paging import Sort, page_of
from admin_ui.params import text_param
from admin_ui.words import sentence_of
from config.rates import LIMITS
from relationships.models import ApiKey, Role, Scope
from relationships.services.api_keys import change_rate_limits, create_api_key, revoke_api_key
from web.errors import InvalidInput

SAYS = {
    Scope.READ: "read memory and contexts",
    Scope.WRITE: "read, send turns and change memory",
    Scope.ADMIN: "everything, with the project, its keys and companions",
}

SORT = Sort(
    {
        "name": ("name", "id"),
        "created": (
            F("revoked_at").asc(nulls_last=True),
            "created_at",
            "id",
        ),  # downwards: first those in use
        "used": (F("last_used_at").asc(nulls_first=True), "id"),
    },
    usual="-created",
)


class KeysView(OperatorView):
    needs_to_write = Role.OWNER

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page()

    def post(self, request: HttpRequest) -> HttpResponse:
        """The key is in this answer and nowhere else: no redirect, as it would have to be kept for that."""
        name = text_param(request.POST, "name", limit=200)
        if not name:
            return self._page(why="Enter a name for the key.", status=422)
        scopes = [request.POST.get("scope", "")]
        try:
            row, key = create_api_key(project_id=self.project_id, name=name, scopes=scopes, by=self.actor)
        except InvalidInput as error:
            return self._page(why=sentence_of(error), status=422)
        return self._page(made=row, key=key)

    def _page(self, **more: Any) -> HttpResponse:
        page = page_of(self.request, ApiKey.objects.filter(project_id=self.project_id), sort=SORT)
        rows = [(row, limits_of(row)) for row in page.rows]
        scopes = [(str(scope), f"{scope}: {says}") for scope, says in SAYS.items()]
        return self.show("keys/list", page=page, rows=rows, scopes=scopes, **more)


class LimitKeyView(OperatorView):
    needs_to_write = Role.OWNER

    def post(self, request: HttpRequest, key_id: UUID) -> HttpResponse:
        """Every field of the form; an empty one is what the installation gives."""
        changes = {name: text_param(request.POST, name, limit=40) or None for name in LIMITS}
        try:
            row = change_rate_limits(
                project_id=self.project_id, key_id=key_id, changes=changes, by=self.actor
            )
        except InvalidInput as error:
            messages.error(request, f"Limits not changed: {error.detail}.")
            return redirect("admin_ui:keys")
        return self.done(f"Limits of {row.name} saved. They apply from its next request.", "admin_ui:keys")


def limits_of(key: ApiKey) -> list[tuple[str, str, str]]:
    """The name of each limit, what the key has of its own, and what it has without that."""
    return [(name, key.rate_limits.get(name, ""), str(settings.KEY_RATES[name] or "off")) for name in LIMITS]


class RevokeKeyView(OperatorView):
    needs_to_write = Role.OWNER

    def post(self, request: HttpRequest, key_id: UUID) -> HttpResponse:
        revoke_api_key(project_id=self.project_id, key_id=key_id, by=self.actor)
        return self.done("Key revoked.", "admin_ui:keys")
