"""The base class of views for API keys and tokens: authentication, rate limits, and access to the project's rows."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, NoReturn
from uuid import UUID

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.request import Request
from rest_framework.response import Response

from relationships.models import Relationship
from relationships.services.configuration import check_level
from relationships.services.idempotency import TURNS, Idempotency
from relationships.services.rows import require
from web.actor import Actor
from web.authentication import Credentials, KeyChanged, authenticate_header, forget_key
from web.consistency import ConsistencyBody, read_by
from web.errors import NotAllowed
from web.headers import idempotency_key, request_fingerprint
from web.parsing import read_bytes
from web.rate_counters import Verdict
from web.rest_view import RestView
from web.throttling import RateThrottle, rate_headers, too_many


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "web.authentication.BearerAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "An API key (rk_...) or a token (rt_...)."}


class ApiView(RestView):
    """A view for API keys and tokens. Declare its methods with `@operation`.

    `scopes` maps a method to the scope it needs, where that is not the default (read for GET, otherwise write).
    `open_to_tokens` lets a relationship token access its own relationship: with every method, or with those
    listed. `counts_as` maps a method to the rate limit it counts towards, in addition to `requests`.
    `rereads_key`: see web.authentication.
    """

    scopes: ClassVar[Mapping[str, str]] = {}
    open_to_tokens: ClassVar[bool | tuple[str, ...]] = False
    open_to_sessions: ClassVar[tuple[str, ...]] = ()
    counts_as: ClassVar[Mapping[str, str]] = {}
    rereads_key: ClassVar[tuple[str, ...]] = ()
    throttle_classes = (RateThrottle,)

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
        """Authenticate, then check the rate limits: before the permissions, so that refused requests count too."""
        super().perform_authentication(request)
        super().check_throttles(request)

    def check_throttles(self, request: Request) -> None:
        """Do nothing: perform_authentication has done it."""

    def handle_exception(self, exc: Exception) -> Any:
        """Check a key from this process's cache in the database before an error is shown to its holder."""
        # Not request.auth: where authentication is what failed, that would authenticate again.
        credentials = getattr(self.request, "_auth", None)
        if isinstance(credentials, Credentials) and credentials.remembered is not None:
            try:
                found = authenticate_header(self.request.META["HTTP_AUTHORIZATION"])
            except Exception as refused:  # the key was refused, or the database is down
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

    def get_relationship(self, relationship_id: UUID, *related: str) -> Relationship:
        """The project's own relationship, with `related` rows joined. Raises NotFound."""
        rows = Relationship.objects.of_project(self.project_id).filter(id=relationship_id)
        found: Relationship = require(rows.select_related(*related) if related else rows, "relationship")
        return found

    def answer_by(self, body: ConsistencyBody, make: Callable[[], dict[str, Any]]) -> Response:
        """Answer with what `make` reads, from the primary or a replica as the body allows.

        A replica may not vouch for a key, so a cached key is checked on the primary first. Raises KeyChanged.
        """
        known = self.credentials
        if body.consistency != "strong" and known.remembered is not None:
            found = authenticate_header(self.request.META["HTTP_AUTHORIZATION"])
            if found != replace(known, remembered=None):
                raise KeyChanged("This key was changed.")
            self.request.auth = found
        made, read = read_by(body.consistency, make)
        return self.answer(made | {"read": read._asdict()})

    def owned(self, model: Any, relationship_id: UUID) -> Any:
        """The relationship's rows of `model`. Raises NotFound if the relationship is not the project's."""
        self.get_relationship(relationship_id)
        return model.objects.for_relationship(relationship_id)

    def idempotency(self, route: str = TURNS) -> Idempotency | None:
        """The request's Idempotency-Key and what was sent with it; None without a key. Raises InvalidInput."""
        key = idempotency_key(self.request)
        if key is None:
            return None
        raw = read_bytes(self.request, limit=self.max_body_bytes())
        return Idempotency(key, request_fingerprint(raw), route)

    def own_level(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        """Check the request's `config`, the cascade's highest level, and return it.

        Raises InvalidConfiguration; NotAllowed for a person's token, which may not choose models or prompts.
        """
        if config and self.credentials.relationship_id is not None:
            raise NotAllowed("A relationship token can't change the configuration: leave config out.")
        if config:
            check_level(config)
        return config

    def without_configuration(self, shown: dict[str, Any], **instead: Any) -> dict[str, Any]:
        """Return `shown`; for a person's token, with `instead` in place of the developer's configuration."""
        return shown if self.credentials.relationship_id is None else shown | instead
