"""The base class of all REST views: body and query string are parsed strictly, answers are JSON."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, get_origin

from django.conf import settings
from django.db.models import QuerySet
from django.http import QueryDict
from pydantic import BaseModel, ValidationError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from web.authentication import DEFAULT_SCOPES
from web.errors import FieldProblem, InvalidInput
from web.field_problems import field_problems
from web.fields import PageQuery
from web.headers import etag, refuse_ignored
from web.operations import operation_of
from web.pagination import Sieve, page_of
from web.parsing import read_bytes, read_object

M = TypeVar("M", bound=BaseModel)


class JsonOnly(BaseContentNegotiation):
    """Answers JSON, whatever Accept says."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


class RestView(APIView):
    """A REST view. Declare its methods with `@operation`. Its heading in OpenAPI is `tag`, or its module's TAG."""

    content_negotiation_class = JsonOnly
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        declared = operation_of(self, request.method or "")
        if declared is None:
            return
        if request.method not in DEFAULT_SCOPES and getattr(self, "scopes", {}).get(request.method) != "read":
            idempotent = declared.idempotent or request.method != "POST"  # the others are by their nature
            refuse_ignored(request, if_match=bool(declared.if_match), idempotent=idempotent)
        if declared.query is None and request.META.get("QUERY_STRING"):
            _refuse_unknown(request.GET, known=[])

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Remove references back to this view: they would keep the whole request alive until garbage collection."""
        response = super().finalize_response(request, response, *args, **kwargs)
        self.__dict__.pop("head", None)  # Django's: `get` of this view
        request.parser_context = {}
        if isinstance(response, Response):
            response.add_post_render_callback(_let_go)
        return response

    def max_body_bytes(self) -> int:
        """The longest body, in bytes. Views that take longer ones override it."""
        limit: int = settings.MAX_BODY_BYTES
        return limit

    def max_depth(self) -> int:
        """How deep the body's JSON may be nested."""
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
            raise InvalidInput.naming(field_problems(error, data)) from None

    def json(self) -> dict[str, Any]:
        """The body as a plain dict, where any object is accepted."""
        return read_object(self.request, limit=self.max_body_bytes(), depth=self.max_depth())[1]

    def query(self, model: type[M]) -> M:
        """The query string as `model`. Raises InvalidInput, also for an unknown or a repeated parameter."""
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
            raise InvalidInput.naming(field_problems(error, data)) from None

    def answer(self, data: Any = None, *, status: int = 200, version: int | None = None) -> Response:
        """A JSON answer. `version` becomes the ETag."""
        headers = {} if version is None else {"ETag": etag(version)}
        return Response(data, status=status, headers=headers)

    def page(
        self,
        rows: QuerySet[Any, Any],
        present: Callable[[Any], Any],
        *,
        order: Sequence[str],
        query: PageQuery,
        slow: Sequence[str] = (),
        keep: Sieve | None = None,
    ) -> Response:
        """One page of a list. `slow` and `keep`: see page_of."""
        return self.answer(page_of(rows, order=order, page=query, present=present, slow=slow, keep=keep))


def _let_go(response: Response) -> None:
    response.renderer_context = None  # type: ignore[attr-defined]


def _refuse_unknown(given: QueryDict, *, known: list[str]) -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        way_out = f"known: {', '.join(known)}" if known else "none are taken here"
        raise InvalidInput.naming(
            [FieldProblem(name[:80], f"is not a known parameter; {way_out}") for name in unknown[:20]]
        )


def _takes_many(model: type[BaseModel], name: str) -> bool:
    return get_origin(model.model_fields[name].annotation) is list
