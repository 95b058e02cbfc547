"""A relationship's tokens, for the person's browser: create (shown once), list until they expire, revoke."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from admin_ui.paging import page_of
from admin_ui.views.scratchpad import RelationshipPart
from relationships.models import Relationship, RelationshipToken, Role, Scope
from relationships.services.tokens import create_token, revoke_token

SAYS = {Scope.READ: "read memory and contexts", Scope.WRITE: "also send turns and change memory"}
LIFETIMES = {900: "15 minutes", 3600: "1 hour", 86_400: "1 day"}  # seconds


class TokensView(RelationshipPart):
    tab = "tokens"
    needs_to_write = Role.OWNER

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        return self._page(request, self.get_relationship(relationship_id))

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        """Create a token. Like a key, it is shown in this answer only."""
        relationship = self.get_relationship(relationship_id)
        scope, lifetime = request.POST.get("scope", ""), request.POST.get("lifetime", "")
        if scope not in SAYS or lifetime not in map(str, LIFETIMES):
            return self._page(
                request, relationship, why="Choose a scope and a lifetime from the lists.", status=422
            )
        row, token = create_token(
            relationship=relationship, scopes=[scope], expires_in=int(lifetime), by=self.access.actor
        )
        return self._page(request, relationship, made=row, token=token)

    def _page(
        self, request: HttpRequest, relationship: Relationship, *, status: int = 200, **more: Any
    ) -> HttpResponse:
        rows = RelationshipToken.objects.for_relationship(relationship.id).filter(
            expires_at__gt=timezone.now()
        )
        ctx = {
            **self.ctx_of(relationship),
            "page": page_of(request, rows.order_by("-id")),
            "scopes": [(str(scope), says) for scope, says in SAYS.items()],
            "lifetimes": LIFETIMES.items(),
            **more,
        }
        return render(request, "admin_ui/tokens/list.html", ctx, status=status)


class RevokeTokenView(RelationshipPart):
    needs_to_write = Role.OWNER

    def post(self, request: HttpRequest, relationship_id: UUID, token_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        revoke_token(relationship=relationship, token_id=token_id, by=self.access.actor)
        messages.success(request, "Token revoked. It is rejected from now on.")
        return redirect("admin_ui:relationship_tokens", relationship_id)
