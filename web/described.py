"""Descriptions of a model's fields, for its JSON Schema: the docstrings below them.

pydantic's own `use_attribute_docstrings` reads the code of each class when the class is made, which took a fifth of the
web server's start.
"""

import ast
import inspect
import sys
from functools import cache
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic_core import CoreSchema


class Described(BaseModel):
    """A model whose fields may have docstrings."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        schema = handler(core_schema)
        fields = handler.resolve_ref_schema(schema).get("properties", {})
        for name, text in _docstrings(cls).items():
            if name in fields:
                fields[name]["description"] = text
        return schema


def _docstrings(model: type[BaseModel]) -> dict[str, str]:
    """The docstrings of its fields by name. A field that is declared again has the later docstring, or none."""
    found: dict[str, str] = {}
    for kind in reversed([kind for kind in model.__mro__ if issubclass(kind, Described)]):
        written = _written_in(kind.__module__).get(kind.__qualname__, {})
        for name in vars(kind).get("__annotations__", {}):
            found.pop(name, None)
            if name in written:
                found[name] = written[name]
    return found


@cache
def _written_in(module: str) -> dict[str, dict[str, str]]:
    """The docstrings of the attributes of each class of a module."""
    try:
        code = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError):  # it has no file, or is built in
        return {}
    return {part.name: _below_attributes(part) for part in code.body if isinstance(part, ast.ClassDef)}


def _below_attributes(written: ast.ClassDef) -> dict[str, str]:
    return {
        attribute.target.id: inspect.cleandoc(below.value.value)
        for attribute, below in pairwise(written.body)
        if isinstance(attribute, ast.AnnAssign)
        and isinstance(attribute.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }
