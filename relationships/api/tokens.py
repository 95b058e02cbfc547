from datetime import datetime
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.fields import Answer, Body
from relationships.api.operations import operation
from relationships.api.views import ApiView
from relationships.services.tokens import create_token, revoke_token

TAG = "Tokens"


class NewToken(Body):
    scopes: Annotated[list[Literal["read", "write"]], Field(min_length=1, max_length=2)]
    expires_in: Annotated[int, Field(ge=60, le=86_400)] = 3600
    """Seconds."""


class TokenAnswer(Answer):
    id: UUID
    token: str
    """Shown this once."""
    scopes: list[str]
    expires_at: datetime


class TokensView(ApiView):
    # a key may only hand out what it holds itself; a token can't come here at all
    scopes: ClassVar = {"POST": "write"}

    @operation(
        "tokens_create",
        tag=TAG,
        summary="Create a relationship token",
        body=NewToken,
        answers={201: TokenAnswer},
        example={"scopes": ["read"], "expires_in": 900},
    )
    def post(self, request: Request, relationship_id: UUID) -> Response:
        """For the person's own browser: it opens this relationship alone, until it expires."""
        body = self.body(NewToken)
        row, token = create_token(
            relationship=self.get_relationship(relationship_id),
            scopes=body.scopes,
            expires_in=body.expires_in,
            by=self.actor,
        )
        shown = {"id": row.id, "token": token, "scopes": row.scopes, "expires_at": row.expires_at}
        return self.answer(shown, status=201)


class TokenView(ApiView):
    @operation("tokens_revoke", tag=TAG, summary="Revoke a relationship token", answers={204: None})
    def delete(self, request: Request, relationship_id: UUID, token_id: UUID) -> Response:
        revoke_token(relationship=self.get_relationship(relationship_id), token_id=token_id, by=self.actor)
        return self.answer(status=204)
