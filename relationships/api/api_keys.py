from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.fields import Answer, Body, Name, PageQuery
from relationships.api.operations import operation
from relationships.api.pagination import page_of
from relationships.api.views import ApiView
from relationships.models import ApiKey
from relationships.services.api_keys import create_api_key, revoke_api_key

TAG = "API keys"


class NewApiKey(Body):
    name: Name
    scopes: Annotated[list[Literal["read", "write", "admin"]], Field(min_length=1, max_length=3)]
    """Each includes the ones before it."""


class ApiKeyAnswer(Answer):
    id: UUID
    name: str
    prefix: str
    """How the key begins."""
    scopes: list[str]
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
            project_id=self.project_id, name=body.name, scopes=body.scopes, by=self.actor
        )
        return self.answer({**present_api_key(row), "key": key}, status=201)


class ApiKeyView(ApiView):
    scopes: ClassVar = {"DELETE": "admin"}

    @operation("api_keys_revoke", tag=TAG, summary="Revoke an API key", answers={204: None})
    def delete(self, request: Request, key_id: UUID) -> Response:
        """From now on it opens nothing; it stays in the list."""
        revoke_api_key(project_id=self.project_id, key_id=key_id, by=self.actor)
        return self.answer(status=204)
