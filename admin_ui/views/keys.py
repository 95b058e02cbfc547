"""A project's API keys: created (shown once), listed with their last use, limited, revoked."""

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

SCOPES = {
    Scope.READ: "read: read memory and contexts",
    Scope.WRITE: "write: read, send turns and change memory",
    Scope.ADMIN: "admin: everything, with the project, its keys and companions",
}

SORT = Sort(
    {
        "name": ("name", "id"),
        # descending, so that keys in use come first
        "created": (F("revoked_at").asc(nulls_last=True), "created_at", "id"),
        "used": (F("last_used_at").asc(nulls_first=True), "id"),
    },
    default="-created",
)


class KeysView(OperatorView):
    needs_to_write = Role.OWNER

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page()

    def post(self, request: HttpRequest) -> HttpResponse:
        """Create a key. Only this response contains it; after a redirect it would have to be stored."""
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
        return self.show("keys/list", page=page, rows=rows, scopes=SCOPES.items(), **more)


class LimitKeyView(OperatorView):
    needs_to_write = Role.OWNER

    def post(self, request: HttpRequest, key_id: UUID) -> HttpResponse:
        """Save the key's limits. An empty field means the installation's default."""
        changes = {name: text_param(request.POST, name, limit=40) or None for name in LIMITS}
        try:
            row = change_rate_limits(
                project_id=self.project_id, key_id=key_id, changes=changes, by=self.actor
            )
        except InvalidInput as error:
            messages.error(request, f"Limits not changed: {error.detail}.")
            return redirect("admin_ui:keys")
        return self.redirect_with_message(
            f"Limits of {row.name} saved. They apply from its next request.", "admin_ui:keys"
        )


def limits_of(key: ApiKey) -> list[tuple[str, str, str]]:
    """Return each limit's name, the key's own value ("" if it has none), and the default."""
    return [(name, key.rate_limits.get(name, ""), str(settings.KEY_RATES[name] or "off")) for name in LIMITS]


class RevokeKeyView(OperatorView):
    needs_to_write = Role.OWNER

    def post(self, request: HttpRequest, key_id: UUID) -> HttpResponse:
        revoke_api_key(project_id=self.project_id, key_id=key_id, by=self.actor)
        return self.redirect_with_message("Key revoked.", "admin_ui:keys")
