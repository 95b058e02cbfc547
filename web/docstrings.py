"""The docstrings of a model's fields are their descriptions in its JSON Schema."""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema


class Described(BaseModel):
    """Looks for the docstrings when a JSON Schema is made. pydantic's own `use_attribute_docstrings` would at every
    start, for each class, which takes a tenth of it.
    """

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core)
        fields = handler.resolve_ref_schema(schema).get("properties", {})
        for base in (kind for kind in cls.__mro__ if issubclass(kind, Described)):
            for name, text in _docstrings(base.__module__).get(base.__qualname__, {}).items():
                if name in fields:
                    fields[name].setdefault("description", text)
        return schema


@cache
def _docstrings(module: str) -> dict[str, dict[str, str]]:
    """Those of each class in the module, by class and field. None if it has no source."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError):
        return {}
    return {name: dict(_fields(body)) for name, body in _classes(tree)}


def _classes(node: ast.AST, within: str = "") -> Iterator[tuple[str, list[ast.stmt]]]:
    for part in ast.iter_child_nodes(node):
        inside = within
        if isinstance(part, ast.ClassDef):
            yield within + part.name, part.body
            inside = f"{within}{part.name}."
        elif isinstance(part, ast.FunctionDef):
            inside = f"{within}{part.name}.<locals>."
        yield from _classes(part, inside)


def _fields(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, behind in pairwise(body):
        match field, behind:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, inspect.cleandoc(text)
