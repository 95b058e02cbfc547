from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.views import ApiView
from relationships.models import Relationship
from relationships.services.companions import named
from relationships.services.relationships import change_relationship, take_up_relationship
from web.field_problems import matching
from web.fields import Answer, Body, ExternalId, JsonObject, Page, PageQuery, ShortText, TimeZone, left_out
from web.headers import expected_version
from web.operations import operation

TAG = "Relationships"
SlugOrId = Annotated[
    str,
    matching(r"^[a-z0-9_-]+$", "has to be a slug or an ID: a-z, 0-9, - and _", min_length=1, max_length=80),
]


class WhichUser(Body):
    external_id: ExternalId
    display_name: ShortText = left_out()
    """Their current name. If left out, it stays unchanged."""


class NewRelationship(Body):
    companion: SlugOrId
    """Its slug or ID."""
    user: ExternalId | WhichUser
    """The person's external_id; a missing user is created."""
    timezone: TimeZone = left_out()
    """An IANA time zone, such as Europe/Lisbon: dates in prompts are the person's own. UTC until one is given."""
    config: JsonObject = left_out()
    """Its level of the configuration, used when it is created."""


class RelationshipChanges(Body):
    timezone: TimeZone = left_out()
    config: JsonObject = left_out()
    """A merge patch of its level of the configuration."""


class RelationshipQuery(PageQuery):
    companion: SlugOrId | None = None
    """Slug or ID."""
    user: ExternalId | None = None
    """external_id."""


class CompanionInBrief(Answer):
    id: UUID
    slug: str
    name: str


class UserInBrief(Answer):
    id: UUID
    external_id: str
    display_name: str


class RelationshipAnswer(Answer):
    id: UUID
    companion: CompanionInBrief
    user: UserInBrief
    timezone: str
    language: str
    """The language detected in the messages, in the names of `retrieval.language`; empty: not detected yet. That
    setting takes precedence.
    """
    config: JsonObject
    last_turn_at: datetime | None
    """When its latest turn was said."""
    version: int
    created_at: datetime
    updated_at: datetime


class RelationshipTakenUp(RelationshipAnswer):
    kept: list[str]
    """Fields that you sent with other values and that were left unchanged: change them with PATCH."""


def present_relationship(relationship: Relationship) -> dict[str, Any]:
    companion = CompanionInBrief.of(relationship.companion)
    return RelationshipAnswer.of(relationship, companion=companion, user=UserInBrief.of(relationship.user))


class RelationshipsView(ApiView):
    @operation("relationships_list", "List relationships", answers={200: Page[RelationshipAnswer]})
    def get(self, request: Request, query: RelationshipQuery) -> Response:
        """Newest first."""
        rows = Relationship.objects.of_project(self.project_id).select_related("companion", "user")
        if query.companion is not None:
            rows = rows.filter(named(query.companion, prefix="companion__"))
        if query.user is not None:
            rows = rows.filter(user__external_id=query.user)
        order = ["-created_at", "-id"]
        return self.page(rows, present_relationship, order=order, query=query)

    @operation(
        "relationships_get_or_create",
        "Get or create a relationship",
        answers={200: RelationshipTakenUp, 201: RelationshipTakenUp},
        problems=(409,),
        etag=True,
    )
    def post(self, request: Request, body: NewRelationship) -> Response:
        """Answers 201 if it was created, else 200. The person's `display_name` and `timezone` are updated; an
        existing `config` is kept, and `kept` says so.
        """
        user = body.user if isinstance(body.user, WhichUser) else WhichUser(external_id=body.user)
        said = body.model_dump(include={"timezone", "config"}, exclude_unset=True)
        relationship, created, kept = take_up_relationship(
            project_id=self.project_id,
            companion=body.companion,
            user=user.external_id,
            said=said | user.model_dump(include={"display_name"}, exclude_unset=True),
            by=self.actor,
        )
        answer = {**present_relationship(relationship), "kept": kept}
        return self.answer(answer, status=201 if created else 200, version=relationship.version)


class RelationshipView(ApiView):
    open_to_tokens = ("GET", "HEAD")  # the configuration is the developer's to change

    @operation("relationships_read", "Read a relationship", answers={200: RelationshipAnswer}, etag=True)
    def get(self, request: Request, relationship_id: UUID) -> Response:
        """A relationship token does not see `config`, which belongs to the developer."""
        relationship = self.get_relationship(relationship_id, "companion", "user")
        shown = self.without_configuration(present_relationship(relationship), config={})
        return self.answer(shown, version=relationship.version)

    @operation(
        "relationships_change",
        "Change a relationship",
        answers={200: RelationshipAnswer},
        if_match=True,
        etag=True,
    )
    def patch(self, request: Request, relationship_id: UUID, body: RelationshipChanges) -> Response:
        """Fields that are left out stay unchanged; `config` is merged into the existing one (RFC 7396)."""
        relationship = change_relationship(
            project_id=self.project_id,
            relationship_id=relationship_id,
            changes=body.sent(),
            expected_version=expected_version(request),
            by=self.actor,
        )
        return self.answer(present_relationship(relationship), version=relationship.version)
