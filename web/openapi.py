"""OpenAPI 3.1 from the views' declarations: bodies are pydantic models, and every problem status is listed."""

import inspect
import sys
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import uritemplate
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry, ResolvedComponent
from pydantic import BaseModel
from rest_framework.permissions import AllowAny

from web.fields import Answer
from web.operations import Operation, examples_beside, operation_of
from web.parsing import JSON, MERGE_PATCH
from web.problems import CONTENT_TYPE, title_of

TOO_MANY = 429
# Schemas of path parameters with a converter of our own, by parameter name. Add one when registering a converter.
PATH_SCHEMAS: dict[str, dict[str, Any]] = {}
REF = "#/components/schemas/{model}"
IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "The same key and body make one thing within a day; with another body the answer is 422.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": r"^[\x20-\x7e]+$"},
}
IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "description": "The ETag that this change is based on; if it is not the current one, the answer is 412.",
    "schema": {"type": "string", "pattern": r'^("[0-9]{1,9}"|\*)$'},
}
IF_SHA256_MATCH = {
    **IF_MATCH,
    "schema": {"type": "string", "pattern": r'^("[0-9a-f]{64}"|\*)$'},
}
RETRY_AFTER = {
    "Retry-After": {"description": "Seconds.", "required": True, "schema": {"type": "integer", "minimum": 1}}
}
ETAG = {
    "ETag": {
        "description": "The version, or the SHA-256 of the content, in quotes.",
        "schema": {"type": "string"},
    }
}


# What the parser allows where any JSON is accepted: no NUL, no number beyond 64 bits.
KEPT_TEXT = {"type": "string", "pattern": r"^[^\x00]*$"}
JSON_VALUE: dict[str, Any] = {
    "description": "Any JSON: texts without NUL, numbers of at most 64 bits.",
    "anyOf": [
        {"type": "null"},
        {"type": "boolean"},
        {"type": "number", "minimum": -(2**63), "exclusiveMaximum": 2**63},
        KEPT_TEXT,
        # Their members are any JSON again; as a schema that would be a cycle, which client generators can't handle.
        {"type": "array", "items": {}},
        {"type": "object", "propertyNames": KEPT_TEXT, "additionalProperties": {}},
    ],
}


class FieldError(Answer):
    """One field that is wrong."""

    field: str
    detail: str


class Problem(Answer):
    """RFC 9457: what went wrong and where."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldError]


def tag_of(view: type) -> str:
    """The heading of a view in the documentation: its own `tag`, or its module's TAG, or its base's."""
    tags = (
        vars(kind).get("tag") or getattr(sys.modules[kind.__module__], "TAG", "") for kind in view.__mro__
    )
    return next(filter(None, tags), "")


class RapportSchema(AutoSchema):
    """Describes methods declared with `@operation`; a method without a declaration is left out."""

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: ComponentRegistry
    ) -> dict[str, Any] | None:
        self.registry, self.path, self.path_regex = registry, path, path_regex
        self.path_prefix, self.method = path_prefix, method.upper()
        declared = operation_of(self.view, method)
        if declared is None:
            return None
        described: dict[str, Any] = {
            "operationId": declared.id,
            "summary": declared.summary,
            "tags": [declared.tag or tag_of(type(self.view))],
            "parameters": [*self._path_parameters(), *self._own_parameters(declared)],
            "security": self.get_auth(),
            "responses": self._responses(declared),
        }
        # Instead of AutoSchema's, which takes the docstring of the view or its base if the method has none.
        described["description"] = inspect.getdoc(getattr(self.view, method.lower())) or declared.summary
        if declared.body is not None:
            described["requestBody"] = self._request_body(declared, declared.body)
        return described

    def _path_parameters(self) -> Iterator[dict[str, Any]]:
        named = uritemplate.variables(self.path)
        for parameter in self._resolve_path_parameters(named):  # type: ignore[no-untyped-call]
            schema = PATH_SCHEMAS.get(parameter["name"], parameter["schema"])
            yield {**parameter, "schema": schema}

    def _own_parameters(self, declared: Operation) -> Iterator[dict[str, Any]]:
        if declared.query is not None:
            yield from self._query_parameters(declared.query)
        if declared.idempotent:
            yield IDEMPOTENCY_KEY
        if declared.if_match:
            yield IF_SHA256_MATCH if declared.if_match == "sha256" else IF_MATCH

    def _query_parameters(self, model: type[BaseModel]) -> Iterator[dict[str, Any]]:
        parts = parts_of(model)
        self._register({name: part for name, part in parts.items() if name != model.__name__})
        schema = deepcopy(parts[model.__name__])
        for name, field in schema["properties"].items():
            # null means "not given", for which a query string leaves it out
            kinds = [kind for kind in field.pop("anyOf", []) if kind.get("type") != "null"]
            field.update(kinds[0] if len(kinds) == 1 else {"anyOf": kinds} if kinds else {})
            if field.get("default", ...) is None:
                del field["default"]
            parameter = {"name": name, "in": "query", "required": name in schema.get("required", [])}
            yield {**parameter, "description": field.pop("description", ""), "schema": field}

    def _request_body(self, declared: Operation, model: type[BaseModel]) -> dict[str, Any]:
        content: dict[str, Any] = {"schema": self._component(model)}
        example = self._examples(declared).get("request", declared.example)
        if example is not None:
            content["examples"] = {"example": {"value": example}}
        types = [JSON, MERGE_PATCH] if self.method == "PATCH" else [declared.body_type or JSON]
        return {"required": not declared.body_optional, "content": dict.fromkeys(types, content)}

    def _responses(self, declared: Operation) -> dict[str, Any]:
        responses = {str(status): self._answer(declared, status) for status in declared.answers}
        for status in sorted(self._problem_statuses(declared) - set(declared.answers)):
            content = {CONTENT_TYPE: {"schema": self._component(Problem)}}
            if (shape := getattr(self.view, "error_shape", None)) is not None:
                content = {JSON: {"schema": self._component(shape)}, **content}
            responses[str(status)] = {"description": title_of(status), "content": content}
            if status == TOO_MANY:
                responses[str(status)]["headers"] = RETRY_AFTER
        return responses

    def _answer(self, declared: Operation, status: int) -> dict[str, Any]:
        described: dict[str, Any] = {"description": title_of(status)}
        model = declared.answers[status]
        contents: dict[str, Any] = {}
        if model is not None:
            contents[JSON] = {"schema": self._component(model)}
            if "answer" in self._examples(declared):
                contents[JSON]["examples"] = {"example": {"value": self._examples(declared)["answer"]}}
        if declared.streams:
            contents["text/event-stream"] = {"schema": {}}
        if contents:
            described["content"] = contents
        if declared.etag:
            described["headers"] = ETAG
        return described

    def _examples(self, declared: Operation) -> dict[str, Any]:
        home = getattr(self.view, self.method.lower()).__module__
        return examples_beside(home).get(declared.id, {})

    def _problem_statuses(self, declared: Operation) -> set[int]:
        """The error statuses of an operation: those that any such operation may have, and the declared ones."""
        statuses = {400, 422, 503, *declared.problems}
        if not any(isinstance(permission, AllowAny) for permission in self.view.get_permissions()):
            statuses |= {401, 403, TOO_MANY}
        if "{" in self.path:
            statuses.add(404)
        if declared.body is not None:
            statuses |= {411, 413, 415}
        if declared.if_match:
            statuses |= {409, 412}
        if declared.idempotent:
            statuses.add(409)
        return statuses

    def _component(self, model: type[BaseModel]) -> dict[str, Any]:
        """A reference to `model` in the components, to which it is added if necessary."""
        self._register(parts_of(model))
        return {"$ref": REF.format(model=model.__name__)}

    def _register(self, parts: dict[str, Any]) -> None:
        for name, schema in parts.items():
            component = ResolvedComponent(name, ResolvedComponent.SCHEMA, object=name)  # type: ignore[no-untyped-call]
            if component not in self.registry:
                component.schema = deepcopy(schema)  # as finishing the document changes it
                self.registry.register(component)
            elif self.registry[component].schema != schema:
                raise ValueError(f"two different models are called {name}: rename one")


@cache
def parts_of(model: type[BaseModel]) -> dict[str, Any]:
    """The schemas of `model` and of what it refers to, by name. Cached, as many operations share models."""
    schema = model.model_json_schema(ref_template=REF, mode="validation")
    said = {"JsonValue": JSON_VALUE} if _say_what_json_is_kept(schema) else {}
    return {**said, **schema.pop("$defs", {}), model.__name__: schema}


def _say_what_json_is_kept(schema: Any) -> bool:
    """Where `schema` accepts any object, say what may be in it. Return whether it does anywhere."""
    if not isinstance(schema, dict | list):
        return False
    parts = schema if isinstance(schema, list) else list(schema.values())
    said = [_say_what_json_is_kept(part) for part in parts]
    if not isinstance(schema, dict) or schema.get("additionalProperties") is not True:
        return any(said)
    schema["additionalProperties"] = {"$ref": REF.format(model="JsonValue")}
    schema["propertyNames"] = KEPT_TEXT
    return True
