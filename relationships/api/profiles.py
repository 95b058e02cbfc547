"""The profile: the body of every call is the profile itself, and the ETag is its version."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.views import ApiView
from relationships.models import ProfileRevision
from relationships.services.profiles import patch_profile, read_profile, replace_profile
from web.fields import Answer, JsonObject, Page, PageQuery
from web.headers import expected_version
from web.operations import operation

TAG = "Profile"


class ProfileDocument(RootModel[JsonObject]):
    """Your own structured data about the person: any JSON object."""


class ActorAnswer(Answer):
    kind: str
    id: str


class ProfileVersion(Answer):
    version: int
    data: JsonObject
    actor: ActorAnswer
    recorded_at: datetime


class ProfileHistoryPage(Page[ProfileVersion]): ...


def present_profile_revision(revision: ProfileRevision) -> dict[str, Any]:
    return ProfileVersion.of(revision, actor={"kind": revision.actor_kind, "id": revision.actor_id})


class ProfileView(ApiView):
    open_to_tokens = True

    @operation("profile_read", "Read the profile", answers={200: ProfileDocument}, etag=True)
    def get(self, request: Request, relationship_id: UUID) -> Response:
        """{} with the ETag "0" until a profile is written."""
        self.get_relationship(relationship_id)
        data, version = read_profile(relationship_id)
        return self.answer(data, version=version)

    @operation(
        "profile_replace",
        "Replace the profile",
        body=ProfileDocument,
        answers={200: ProfileDocument},
        if_match=True,
        etag=True,
    )
    def put(self, request: Request, relationship_id: UUID) -> Response:
        """The body replaces the profile. Writing the same again makes no new version."""
        data, version = replace_profile(
            relationship=self.get_relationship(relationship_id),
            data=self.json(),
            expected_version=expected_version(request),
            by=self.actor,
        )
        return self.answer(data, version=version)

    @operation(
        "profile_patch",
        "Change the profile",
        body=ProfileDocument,
        answers={200: ProfileDocument},
        problems=(413,),
        if_match=True,
        etag=True,
    )
    def patch(self, request: Request, relationship_id: UUID) -> Response:
        """Merge the body in (RFC 7396): objects merge, null removes, anything else replaces."""
        data, version = patch_profile(
            relationship=self.get_relationship(relationship_id),
            patch=self.json(),
            expected_version=expected_version(request),
            by=self.actor,
        )
        return self.answer(data, version=version)


class ProfileHistoryView(ApiView):
    open_to_tokens = True

    @operation("profile_history", "List the profile's versions", answers={200: ProfileHistoryPage})
    def get(self, request: Request, relationship_id: UUID, query: PageQuery) -> Response:
        """Newest first, each with all its data."""
        rows = self.owned(ProfileRevision, relationship_id)
        return self.page(rows, present_profile_revision, order=["-version"], query=query)
