"""A relationship's tokens for the person's browser: created (shown once), listed until they expire, revoked."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from admin_ui.access import OperatorView
from admin_ui.paging import page_of
from relationships.models import RelationshipToken, Role, Scope
from relationships.services.tokens import create_token, page_for, revoke_token

SCOPES = {
    Scope.READ: "read: read memory and contexts",
    Scope.WRITE: "write: also send turns and change memory",
}
LIFETIMES = {900: "15 minutes", 3600: "1 hour", 86_400: "1 day"}  # seconds


class TokensView(OperatorView):
    tab = "tokens"
    needs_to_write = Role.OWNER

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page()

    def post(self, request: HttpRequest) -> HttpResponse:
        """Create a token. This response is the only one that contains it."""
        scope, lifetime = request.POST.get("scope", ""), request.POST.get("lifetime", "")
        if scope not in SCOPES or lifetime not in map(str, LIFETIMES):
            return self._page(why="Choose a scope and a lifetime from the lists.", status=422)
        row, token = create_token(
            relationship=self.relationship, scopes=[scope], expires_in=int(lifetime), by=self.actor
        )
        link = self.request.META["SCRIPT_NAME"] + page_for(token, row.scopes)
        return self._page(made=row, token=token, link=link)

    def _page(self, **more: Any) -> HttpResponse:
        owned = RelationshipToken.objects.for_relationship(self.relationship.id)
        valid = owned.filter(expires_at__gt=timezone.now()).order_by("-id")
        return self.show(
            "tokens/list",
            page=page_of(self.request, valid),
            scopes=SCOPES.items(),
            lifetimes=LIFETIMES.items(),
            **more,
        )


class RevokeTokenView(OperatorView):
    needs_to_write = Role.OWNER

    def post(self, request: HttpRequest, token_id: UUID) -> HttpResponse:
        revoke_token(relationship=self.relationship, token_id=token_id, by=self.actor)
        message = "Token revoked. It is rejected from now on."
        return self.redirect_with_message(message, "admin_ui:relationship_tokens", self.relationship.id)
