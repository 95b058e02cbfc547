"""API keys of a project, and the short-lived tokens of one relationship."""

from datetime import UTC, datetime
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.views import ApiView
from relationships.models import ApiKey, RelationshipToken
from relationships.services.api_keys import change_rate_limits, create_api_key, revoke_api_key
from relationships.services.tokens import create_token, page_for, revoke_token
from web.field_problems import matching
from web.fields import Answer, Body, Name, Page, PageQuery, left_out
from web.operations import operation

TAG = "API keys"
WrittenRate = Annotated[
    str,
    matching(
        r"^([1-9][0-9]{0,8}/(second|minute|hour|day)|off)$",
        "has to be a number per second, minute, hour or day, such as 600/minute, or off",
    ),
]
"""`600/minute`, or `off`."""


class RateLimits(Body):
    """Limits of this key, at most those of the settings. null: those of the settings."""

    requests: WrittenRate | None = left_out()
    turns: WrittenRate | None = left_out()
    previews: WrittenRate | None = left_out()
    searches: WrittenRate | None = left_out()


class NewApiKey(Body):
    name: Name
    scopes: Annotated[list[Literal["read", "write", "admin"]], Field(min_length=1, max_length=3)]
    """Each includes the ones before it."""
    rate_limits: RateLimits = RateLimits()


class ApiKeyChanges(Body):
    rate_limits: RateLimits


class ApiKeyAnswer(Answer):
    id: UUID
    name: str
    prefix: str
    """How the key begins."""
    scopes: list[str]
    rate_limits: dict[str, str]
    """The key's own limits; otherwise those of the settings apply."""
    created_at: datetime
    last_used_at: datetime | None
    """To the minute."""
    revoked_at: datetime | None


class ApiKeyCreated(ApiKeyAnswer):
    key: str
    """Shown only in this answer."""


class ApiKeysView(ApiView):
    scopes: ClassVar = {"GET": "admin", "HEAD": "admin", "POST": "admin"}

    @operation("api_keys_list", "List API keys", answers={200: Page[ApiKeyAnswer]})
    def get(self, request: Request, query: PageQuery) -> Response:
        """Newest first, revoked ones too."""
        rows = ApiKey.objects.filter(project_id=self.project_id)
        return self.page(rows, ApiKeyAnswer.of, order=["-id"], query=query)

    @operation("api_keys_create", "Create an API key", answers={201: ApiKeyCreated})
    def post(self, request: Request, body: NewApiKey) -> Response:
        """This answer is the only place that shows the key."""
        row, key = create_api_key(
            project_id=self.project_id,
            name=body.name,
            scopes=body.scopes,
            rate_limits=body.rate_limits.sent(),
            by=self.actor,
        )
        return self.answer({**ApiKeyAnswer.of(row), "key": key}, status=201)


class ApiKeyView(ApiView):
    scopes: ClassVar = {"PATCH": "admin", "DELETE": "admin"}

    @operation("api_keys_change", "Change an API key's rate limits", answers={200: ApiKeyAnswer})
    def patch(self, request: Request, key_id: UUID, body: ApiKeyChanges) -> Response:
        """Fields that are left out stay unchanged. The limits apply from the key's next request on. Only `manage.py
        limit_api_key` can set a limit above that of the settings.
        """
        changes = body.rate_limits.sent()
        row = change_rate_limits(project_id=self.project_id, key_id=key_id, changes=changes, by=self.actor)
        return self.answer(ApiKeyAnswer.of(row))

    @operation("api_keys_revoke", "Revoke an API key", answers={204: None})
    def delete(self, request: Request, key_id: UUID) -> Response:
        """The key stops working at once. It stays in the list."""
        revoke_api_key(project_id=self.project_id, key_id=key_id, by=self.actor)
        return self.answer(status=204)


class NewToken(Body):
    scopes: Annotated[list[Literal["read", "write"]], Field(min_length=1, max_length=2)]
    expires_in: Annotated[int, Field(ge=60, le=86_400)] = 3600
    """Seconds."""


class TokenAnswer(Answer):
    id: UUID
    scopes: list[str]
    session_id: UUID | None
    """The agent's session that it is for."""
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None


class TokenCreated(TokenAnswer):
    token: str
    """Shown only in this answer."""
    page: str
    """The path of a page on which the person sees and, with the scope `write`, corrects what is remembered. Put the
    address at which browsers reach this service in front of it.
    """


class TokensView(ApiView):
    # a key may only hand out what it holds itself; a token can't come here at all
    tag = "Tokens"
    scopes: ClassVar = {"POST": "write"}

    @operation("tokens_list", "List relationship tokens", answers={200: Page[TokenAnswer]})
    def get(self, request: Request, relationship_id: UUID, query: PageQuery) -> Response:
        """Newest first, revoked ones too, until they expire."""
        rows = self.owned(RelationshipToken, relationship_id).filter(expires_at__gt=datetime.now(UTC))
        return self.page(rows, TokenAnswer.of, order=["-id"], query=query)

    @operation("tokens_create", "Create a relationship token", answers={201: TokenCreated})
    def post(self, request: Request, relationship_id: UUID, body: NewToken) -> Response:
        """For the person's own browser: it opens only this relationship, until it expires."""
        row, token = create_token(
            relationship=self.get_relationship(relationship_id),
            scopes=body.scopes,
            expires_in=body.expires_in,
            by=self.actor,
        )
        made = {"token": token, "page": page_for(token, row.scopes)}
        return self.answer({**TokenAnswer.of(row), **made}, status=201)


class TokenView(ApiView):
    tag = "Tokens"

    @operation("tokens_revoke", "Revoke a relationship token", answers={204: None})
    def delete(self, request: Request, relationship_id: UUID, token_id: UUID) -> Response:
        revoke_token(relationship=self.get_relationship(relationship_id), token_id=token_id, by=self.actor)
        return self.answer(status=204)
