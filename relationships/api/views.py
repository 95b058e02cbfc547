"""The one base of every REST view: validate, one service call, present."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, ClassVar, NoReturn, TypeVar
from uuid import UUID

from django.conf import settings
from django.http import QueryDict
from pydantic import BaseModel, ValidationError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from relationships.actor import Actor
from relationships.allowances import Verdict
from relationships.api.authentication import Credentials, authenticate_header, forget_key
from relationships.api.etag import etag
from relationships.api.fields import field_problems
from relationships.api.operations import operation_of
from relationships.api.parsing import read_bytes, read_object
from relationships.api.throttling import RateThrottle, rate_headers, too_many
from relationships.errors import FieldProblem, InvalidInput, NotAllowed, NotFound
from relationships.models import Relationship
from relationships.services.api_keys import KeyChanged
from relationships.services.configuration import check_level

M = TypeVar("M", bound=BaseModel)


class JsonOnly(BaseContentNegotiation):
    """We speak JSON and nothing else, whatever Accept says."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


class ApiView(APIView):
    """`scopes` maps a method to the scope it needs where that is not the default (read for GET, else write).

    `open_to_tokens` lets a relationship token in, to its own relationship: with every method, or with those
    named. `counts_as` maps a method to the limit that it is counted by beside `requests`. `rereads_key`: see
    relationships.api.authentication. Declare methods by `@operation`.
    """

    scopes: ClassVar[Mapping[str, str]] = {}
    open_to_tokens: ClassVar[bool | tuple[str, ...]] = False
    counts_as: ClassVar[Mapping[str, str]] = {}
    rereads_key: ClassVar[bool] = False
    throttle_classes = (RateThrottle,)
    content_negotiation_class = JsonOnly
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]

    def setup(self, request: Any, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.verdicts: list[Verdict] = []

    @property
    def credentials(self) -> Credentials:
        credentials = self.request.auth
        assert isinstance(credentials, Credentials)
        return credentials

    @property
    def project_id(self) -> UUID:
        return self.credentials.project_id

    @property
    def actor(self) -> Actor:
        return self.credentials.actor

    def perform_authentication(self, request: Request) -> None:
        """Who asks; then whether it is too often, before the permissions: what is refused counts too."""
        super().perform_authentication(request)
        super().check_throttles(request)

    def check_throttles(self, request: Request) -> None:
        """Done with the authentication."""

    def handle_exception(self, exc: Exception) -> Any:
        """Whoever was let in by a key that this process only remembers is told nothing before it is read."""
        credentials = self.request.auth if isinstance(self.request.auth, Credentials) else None
        if credentials is not None and credentials.remembered is not None:
            try:
                found = authenticate_header(self.request.META["HTTP_AUTHORIZATION"], now=datetime.now(UTC))
            except Exception as refused:  # or the database is away
                exc = refused
            else:
                if isinstance(exc, KeyChanged) or found != replace(credentials, remembered=None):
                    forget_key(credentials)
                    self.verdicts.clear()
                    return self.dispatch(self.request._request, *self.args, **self.kwargs)
        return super().handle_exception(exc)

    def throttled(self, request: Request, wait: float | None) -> NoReturn:
        raise too_many(self.verdicts[-1], self.credentials)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        if self.verdicts:
            self.headers.update(rate_headers(self.verdicts))
        return super().finalize_response(request, response, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        declared = operation_of(self, request.method or "")
        if declared is not None and declared.query is None and request.GET:
            _refuse_unknown(request.GET, known=[])

    def max_body_bytes(self) -> int:
        """How long a body may be here; a view that takes longer ones says so."""
        limit: int = settings.MAX_BODY_BYTES
        return limit

    def max_depth(self) -> int:
        """How deep its JSON may be nested."""
        depth: int = settings.MAX_JSON_DEPTH
        return depth

    def body(self, model: type[M], *, optional: bool = False) -> M:
        """The body as `model`; with `optional`, an empty one counts as {}. Raises InvalidInput, TooMuch."""
        if optional and not read_bytes(self.request, limit=self.max_body_bytes()).strip():
            return model()
        raw, data = read_object(self.request, limit=self.max_body_bytes(), depth=self.max_depth())
        try:
            return model.model_validate_json(raw)
        except ValidationError as error:
            raise _invalid(field_problems(error, data)) from None

    def json(self) -> dict[str, Any]:
        """The body as a plain object, where any object will do."""
        return read_object(self.request, limit=self.max_body_bytes(), depth=self.max_depth())[1]

    def query(self, model: type[M]) -> M:
        """The query string as `model`. Raises InvalidInput, for an unknown or a repeated parameter too."""
        given = self.request.GET
        _refuse_unknown(given, known=list(model.model_fields))
        data: dict[str, Any] = {}
        for name in given:
            values = given.getlist(name)
            if len(values) > 1 and not _takes_many(model, name):
                raise InvalidInput.of(name, "give it once")
            data[name] = values if _takes_many(model, name) else values[0]
        try:
            return model.model_validate(data)
        except ValidationError as error:
            raise _invalid(field_problems(error, data)) from None

    def get_relationship(self, relationship_id: UUID, *related: str) -> Relationship:
        """The project's own relationship, with `related` rows joined. Raises NotFound."""
        rows = Relationship.objects.of_project(self.project_id).filter(id=relationship_id)
        found = rows.select_related(*related).first() if related else rows.first()
        if found is None:
            raise NotFound("This relationship is not there.")
        return found

    def own_level(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        """`config` of the request, the cascade's highest level. Raises NotAllowed for a person's token, which
        may not choose models or prompts, and InvalidConfiguration.
        """
        if config and self.credentials.relationship_id is not None:
            raise NotAllowed("A relationship token can't change the configuration: leave config out.")
        if config:
            check_level(config)
        return config

    def answer(self, data: Any = None, *, status: int = 200, version: int | None = None) -> Response:
        """JSON with `status`; `version` becomes the ETag."""
        headers = {} if version is None else {"ETag": etag(version)}
        return Response(data, status=status, headers=headers)


def _refuse_unknown(given: QueryDict, *, known: list[str]) -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        way_out = f"known: {', '.join(known)}" if known else "none are taken here"
        raise _invalid(
            [FieldProblem(name[:80], f"is not a known parameter; {way_out}") for name in unknown[:20]]
        )


def _takes_many(model: type[BaseModel], name: str) -> bool:
    schema = model.model_json_schema()["properties"].get(name, {})
    return schema.get("type") == "array" or any(one.get("type") == "array" for one in schema.get("anyOf", []))


def _invalid(problems: list[FieldProblem]) -> InvalidInput:
    first = problems[0]
    return InvalidInput(f"{first.field}: {first.detail}", problems=problems)
