from datetime import datetime
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.views import ApiView
from relationships.models import EndUser
from relationships.services.users import change_user, create_user, get_user
from web.fields import Answer, Body, ExternalId, JsonObject, Page, PageQuery, ShortText, left_out
from web.headers import expected_version
from web.operations import operation

TAG = "Users"


class NewUser(Body):
    external_id: ExternalId
    """Your own ID of the person."""
    display_name: ShortText = ""
    metadata: JsonObject = {}
    ingestion_paused: bool = False
    """While true, turns are kept and marked skipped; nothing is learnt from them."""


class UserChanges(Body):
    external_id: ExternalId = left_out()
    """Another ID of yours for the same person, such as when a visitor signs in. All that is remembered stays."""
    display_name: ShortText = left_out()
    metadata: JsonObject = left_out()
    """A merge patch of the metadata."""
    ingestion_paused: bool = left_out()


class UserQuery(PageQuery):
    external_id: ExternalId | None = None


class UserAnswer(Answer):
    id: UUID
    external_id: str
    display_name: str
    metadata: JsonObject
    ingestion_paused: bool
    version: int
    created_at: datetime
    updated_at: datetime


class UsersView(ApiView):
    @operation("users_list", "List users", answers={200: Page[UserAnswer]})
    def get(self, request: Request, query: UserQuery) -> Response:
        """Sorted by external_id; with `external_id`, only the user who has it."""
        rows = EndUser.objects.of_project(self.project_id).filter(**query.given("external_id"))
        return self.page(rows, UserAnswer.of, order=["external_id"], query=query)

    @operation("users_create", "Create a user", answers={201: UserAnswer}, problems=(409,), etag=True)
    def post(self, request: Request, body: NewUser) -> Response:
        """Not needed before `POST /relationships`, which creates a missing user."""
        user = create_user(project_id=self.project_id, by=self.actor, **body.model_dump())
        return self.answer(UserAnswer.of(user), status=201, version=user.version)


class UserView(ApiView):
    @operation("users_read", "Read a user", answers={200: UserAnswer}, etag=True)
    def get(self, request: Request, user_id: UUID) -> Response:
        user = get_user(project_id=self.project_id, user_id=user_id)
        return self.answer(UserAnswer.of(user), version=user.version)

    @operation("users_change", "Change a user", answers={200: UserAnswer}, if_match=True, etag=True)
    def patch(self, request: Request, user_id: UUID, body: UserChanges) -> Response:
        """Fields that are left out stay unchanged; `metadata` is merged into the existing one (RFC 7396)."""
        user = change_user(
            project_id=self.project_id,
            user_id=user_id,
            changes=body.sent(),
            expected_version=expected_version(request),
            by=self.actor,
        )
        return self.answer(UserAnswer.of(user), version=user.version)
