"""API keys: made and shown once, seen at work, revoked."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from admin_ui.access import OperatorView
from admin_ui.asked import text_in
from admin_ui.paging import page_of
from relationships.errors import InvalidInput
from relationships.models import ApiKey, Role, Scope
from relationships.services.api_keys import create_api_key, revoke_api_key

SAYS = {
    Scope.READ: "reads memory and contexts",
    Scope.WRITE: "hands turns over and changes memory too",
    Scope.ADMIN: "changes the project, its keys and companions too",
}


class KeysView(OperatorView):
    needs_to_write = Role.OWNER

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(request)

    def post(self, request: HttpRequest) -> HttpResponse:
        """The key is in this answer and nowhere else: no redirect, as it would have to be kept for that."""
        name = text_in(request.POST, "name", limit=200)
        if not name:
            return self._page(request, why="Say what the key is for.", status=422)
        try:
            row, key = create_api_key(
                project_id=self.seat.project.id,
                name=name,
                scopes=[request.POST.get("scope", "")],
                by=self.seat.actor,
            )
        except InvalidInput as error:
            return self._page(request, why=error.detail, status=422)
        return self._page(request, made=row, key=key)

    def _page(self, request: HttpRequest, *, status: int = 200, **more: Any) -> HttpResponse:
        rows = ApiKey.objects.filter(project_id=self.seat.project.id).order_by(
            "revoked_at", "-created_at", "id"
        )
        ctx = {
            "page": page_of(request, rows),
            "scopes": [(str(scope), says) for scope, says in SAYS.items()],
            **more,
        }
        return render(request, "admin_ui/keys/list.html", ctx, status=status)


class RevokeKeyView(OperatorView):
    needs_to_write = Role.OWNER

    def post(self, request: HttpRequest, key_id: UUID) -> HttpResponse:
        revoke_api_key(project_id=self.seat.project.id, key_id=key_id, by=self.seat.actor)
        messages.success(request, "The key opens nothing from now on.")
        return redirect("admin_ui:keys")
