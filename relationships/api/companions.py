from datetime import datetime
from uuid import UUID

from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.views import ApiView
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.schema import configuration_model
from relationships.models import Companion
from relationships.services.companions import (
    change_companion,
    create_companion,
    get_companion,
    write_companion_config,
)
from web.fields import Answer, Body, CompanionSlug, JsonObject, Name, Page, PageQuery, left_out
from web.headers import expected_version
from web.operations import operation

TAG = "Companions"


class NewCompanion(Body):
    slug: CompanionSlug
    """Your own short name for it: lower case, digits, - and _."""
    name: Name
    config: JsonObject = {}
    """Its level of the configuration; see /v1/config-schema."""


class CompanionChanges(Body):
    slug: CompanionSlug = left_out()
    name: Name = left_out()
    config: JsonObject = left_out()
    """A merge patch of its level of the configuration."""


class ConfigurationLevel(RootModel[JsonObject]):
    """One level of the configuration: only the values that it changes. See /v1/config-schema."""


class CompanionQuery(PageQuery):
    slug: CompanionSlug | None = None


class CompanionAnswer(Answer):
    id: UUID
    slug: str
    name: str
    config: JsonObject
    prompt_version: int | None
    """The published version of its ingestion prompt; null: the default that ships with Rapport."""
    version: int
    created_at: datetime
    updated_at: datetime


class ConfigurationAnswer(Answer):
    """`resolved` holds the resulting values, `provenance` the level that set each, by dotted path (recipe, project or
    companion).
    """

    config: JsonObject
    """The companion's own level."""
    resolved: JsonObject
    provenance: dict[str, str]
    """A path that is missing here has its default."""


class AnyJsonSchema(RootModel[JsonObject]):
    """A JSON Schema."""


class CompanionsView(ApiView):
    @operation("companions_list", "List companions", answers={200: Page[CompanionAnswer]})
    def get(self, request: Request, query: CompanionQuery) -> Response:
        """Sorted by slug; with `slug`, only the companion that has it."""
        rows = Companion.objects.of_project(self.project_id).filter(**query.given("slug"))
        return self.page(rows, CompanionAnswer.of, order=["slug"], query=query)

    @operation(
        "companions_create", "Create a companion", answers={201: CompanionAnswer}, problems=(409,), etag=True
    )
    def post(self, request: Request, body: NewCompanion) -> Response:
        """Its configuration can be given at once, or later at `/companions/{companion_id}/config`."""
        companion = create_companion(project_id=self.project_id, by=self.actor, **body.model_dump())
        return self.answer(CompanionAnswer.of(companion), status=201, version=companion.version)


class CompanionView(ApiView):
    @operation("companions_read", "Read a companion", answers={200: CompanionAnswer}, etag=True)
    def get(self, request: Request, companion_id: UUID) -> Response:
        companion = get_companion(project_id=self.project_id, companion_id=companion_id)
        return self.answer(CompanionAnswer.of(companion), version=companion.version)

    @operation(
        "companions_change", "Change a companion", answers={200: CompanionAnswer}, if_match=True, etag=True
    )
    def patch(self, request: Request, companion_id: UUID, body: CompanionChanges) -> Response:
        """Fields that are left out stay unchanged; `config` is merged into the existing one (RFC 7396)."""
        companion = change_companion(
            project_id=self.project_id,
            companion_id=companion_id,
            changes=body.sent(),
            expected_version=expected_version(request),
            by=self.actor,
        )
        return self.answer(CompanionAnswer.of(companion), version=companion.version)


class CompanionConfigView(ApiView):
    @operation(
        "companion_config_read",
        "Read a companion's configuration",
        answers={200: ConfigurationAnswer},
        etag=True,
    )
    def get(self, request: Request, companion_id: UUID) -> Response:
        """The companion's own level, the resulting values, and the level that each value comes from."""
        companion = get_companion(project_id=self.project_id, companion_id=companion_id)
        return self._answer(companion)

    @operation(
        "companion_config_replace",
        "Replace a companion's configuration",
        body=ConfigurationLevel,
        answers={200: ConfigurationAnswer},
        if_match=True,
        etag=True,
    )
    def put(self, request: Request, companion_id: UUID) -> Response:
        """The body replaces the companion's own level. Values that the body leaves out come from the levels below."""
        return self._write(companion_id, merge=False)

    @operation(
        "companion_config_patch",
        "Change a companion's configuration",
        body=ConfigurationLevel,
        answers={200: ConfigurationAnswer},
        if_match=True,
        etag=True,
    )
    def patch(self, request: Request, companion_id: UUID) -> Response:
        """The body is merged into the companion's own level (RFC 7396): null removes a value."""
        return self._write(companion_id, merge=True)

    def _write(self, companion_id: UUID, *, merge: bool) -> Response:
        companion = write_companion_config(
            project_id=self.project_id,
            companion_id=companion_id,
            config=self.json(),
            merge=merge,
            expected_version=expected_version(self.request),
            by=self.actor,
        )
        return self._answer(companion)

    def _answer(self, companion: Companion) -> Response:
        resolved = resolve_configuration(project=companion.project.config, companion=companion.config)
        shown = {
            "config": companion.config,
            "resolved": resolved.values.model_dump(mode="json"),
            "provenance": dict(resolved.provenance),
        }
        return self.answer(shown, version=companion.version)


class ConfigSchemaView(ApiView):
    @operation("config_schema", "The configuration's JSON Schema", answers={200: AnyJsonSchema})
    def get(self, request: Request) -> Response:
        """All configuration values, with defaults. Every level may set any part of them."""
        return self.answer(configuration_model().model_json_schema())
