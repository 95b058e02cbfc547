from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field, StringConstraints
from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.fields import Answer, Body, Name, PageQuery, left_out
from relationships.api.operations import operation
from relationships.api.pagination import page_of
from relationships.api.views import ApiView
from relationships.models import ApiKey
from relationships.services.api_keys import change_rate_limits, create_api_key, revoke_api_key

TAG = "API keys"
WrittenRate = Annotated[str, StringConstraints(pattern=r"^([1-9][0-9]{0,8}/(second|minute|hour|day)|off)$")]
"""`600/minute`, or `off`."""


class RateLimits(Body):
    """Limits of this key alone, at most those of the settings. null: what the settings say."""

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
    """Its own ones; for the others those of the settings hold."""
    created_at: datetime
    last_used_at: datetime | None
    """To the minute."""
    revoked_at: datetime | None


class ApiKeyCreated(ApiKeyAnswer):
    key: str
    """Shown this once."""


class ApiKeyPage(Answer):
    items: list[ApiKeyAnswer]
    next_cursor: str | None


def present_api_key(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "prefix": key.prefix,
        "scopes": key.scopes,
        "rate_limits": key.rate_limits,
        "created_at": key.created_at,
        "last_used_at": key.last_used_at,
        "revoked_at": key.revoked_at,
    }


class ApiKeysView(ApiView):
    scopes: ClassVar = {"GET": "admin", "HEAD": "admin", "POST": "admin"}

    @operation("api_keys_list", tag=TAG, summary="List API keys", query=PageQuery, answers={200: ApiKeyPage})
    def get(self, request: Request) -> Response:
        """Newest first, revoked ones too."""
        rows = ApiKey.objects.filter(project_id=self.project_id)
        page = page_of(rows, order=["-id"], page=self.query(PageQuery), present=present_api_key)
        return self.answer(page)

    @operation(
        "api_keys_create",
        tag=TAG,
        summary="Create an API key",
        body=NewApiKey,
        answers={201: ApiKeyCreated},
        example={"name": "Production", "scopes": ["write"]},
    )
    def post(self, request: Request) -> Response:
        """The key is in this answer and nowhere else."""
        body = self.body(NewApiKey)
        row, key = create_api_key(
            project_id=self.project_id,
            name=body.name,
            scopes=body.scopes,
            rate_limits=body.rate_limits.model_dump(exclude_unset=True),
            by=self.actor,
        )
        return self.answer({**present_api_key(row), "key": key}, status=201)


class ApiKeyView(ApiView):
    scopes: ClassVar = {"PATCH": "admin", "DELETE": "admin"}

    @operation(
        "api_keys_change",
        tag=TAG,
        summary="Change an API key's rate limits",
        body=ApiKeyChanges,
        answers={200: ApiKeyAnswer},
        example={"rate_limits": {"turns": "600/minute"}},
    )
    def patch(self, request: Request, key_id: UUID) -> Response:
        """What is left out stays. They hold from the key's next request on. A limit above the settings' is given by
        `manage.py limit_api_key` alone.
        """
        changes = self.body(ApiKeyChanges).rate_limits.model_dump(exclude_unset=True)
        row = change_rate_limits(project_id=self.project_id, key_id=key_id, changes=changes, by=self.actor)
        return self.answer(present_api_key(row))

    @operation("api_keys_revoke", tag=TAG, summary="Revoke an API key", answers={204: None})
    def delete(self, request: Request, key_id: UUID) -> Response:
        """From now on it opens nothing; it stays in the list."""
        revoke_api_key(project_id=self.project_id, key_id=key_id, by=self.actor)
        return self.answer(status=204)
