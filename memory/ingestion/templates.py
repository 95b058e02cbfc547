"""Render ingestion prompts. A developer's template runs in a sandbox: it can only read its variables.

The prompt a model gets has three parts: the answer format (ours), the instructions (what to keep; the
companion's ingestion prompt, or default.md), and the data (entries and messages; ours). A developer writes the
instructions, so that no wording of theirs can break the answers.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from traceback import walk_tb
from typing import Any

from jinja2 import Environment, StrictUndefined, Template, TemplateError, TemplateSyntaxError, meta, nodes

from memory.errors import InvalidTemplate
from memory.ingestion.template_sandbox import MAX_RENDERED_CHARACTERS, Sandbox, counted_steps
from web.errors import FieldProblem

PROMPTS = Path(__file__).parent / "prompts"
MAX_TEMPLATE_CHARACTERS = 20_000
# Written as an escape in a literal. It can be neither sent to a model nor stored.
_UNKEEPABLE = re.compile(r"[\x00\ud800-\udfff]")
_TOO_DEEP = "is nested too deeply"

# What a developer's template may use, with an example of each; docs/reference/ingestion-prompt.md lists them.
INSTRUCTIONS_EXAMPLE: Mapping[str, Any] = {
    "user": "Maya",
    "companion": "Ada",
    "today": "2026-03-02",
    "timezone": "Europe/Lisbon",
    "types": [{"name": "preference", "description": "likes and dislikes", "examples": ["Likes tea"]}],
    "session": "current",
    "entry_count": 12,
}

# A template is text with variables. What is missing here could call something ('x'.ljust(10 ** 9)), or keep results, so
# that a few lines could double a text until the memory is full.
_ALLOWED = frozenset(
    "Template Output TemplateData Const Name Getattr Getitem Slice Filter Keyword Test If For CondExpr Compare Operand "
    "And Or Not Neg Pos Add Sub Mul Div FloorDiv Mod Pow Concat List Tuple Dict Pair".split()
)


_sandbox = Sandbox()
_ours = Environment(undefined=StrictUndefined, autoescape=False)  # noqa: S701 - plain text, for a model


def check_instructions(template: str, example: Mapping[str, Any] = INSTRUCTIONS_EXAMPLE) -> None:
    """Refuse a template that can't be rendered with what it may use. Raises InvalidTemplate, naming the line."""
    if not template.strip():
        raise _invalid("is empty")
    if len(template) > MAX_TEMPLATE_CHARACTERS:
        raise _invalid(f"has {len(template):,} characters; the limit is {MAX_TEMPLATE_CHARACTERS:,}")
    try:
        _refuse_runaway(_sandbox.parse(template))
    except TemplateSyntaxError as error:
        raise _invalid(f"line {error.lineno}: {error.message}") from None
    except RecursionError:
        raise _invalid(_TOO_DEEP) from None
    except ValueError as error:  # a number of thousands of digits
        raise _invalid(str(error)) from None
    render_instructions(template, example)


def render_instructions(template: str, variables: Mapping[str, Any]) -> str:
    """Render the template with its variables (names of INSTRUCTIONS_EXAMPLE). Raises InvalidTemplate."""
    try:
        with counted_steps():
            rendered = _joined(_compiled(template).generate(**variables)).strip()
    except TemplateSyntaxError as error:
        raise _invalid(f"line {error.lineno}: {error.message}") from None
    except (RecursionError, SyntaxError):  # in the Python code that Jinja makes
        raise _invalid(_TOO_DEEP) from None
    except (TemplateError, ArithmeticError, TypeError, ValueError) as error:
        raise _invalid(f"line {_line_of(error)}: {error}") from None
    if _UNKEEPABLE.search(rendered):
        raise _invalid("renders to a NUL or half a surrogate pair, which can't be kept")
    return rendered


def variables_in(template: str) -> set[str]:
    """The names of the variables that a valid template reads."""
    return meta.find_undeclared_variables(_sandbox.parse(template))


def _joined(pieces: Iterable[str]) -> str:
    kept, length = [], 0
    for piece in pieces:
        length += len(piece)
        if length > MAX_RENDERED_CHARACTERS:
            raise _invalid(f"renders to more than {MAX_RENDERED_CHARACTERS:,} characters")
        kept.append(piece)
    return "".join(kept)


@cache
def default_instructions() -> str:
    return (PROMPTS / "default.md").read_text()


@cache
def shipped(name: str) -> Template:
    """One of our own templates, without the sandbox, which takes six times as long."""
    return _ours.from_string((PROMPTS / name).read_text())


@lru_cache(maxsize=256)
def _compiled(template: str) -> Template:
    return _sandbox.from_string(template)


def _refuse_runaway(node: nodes.Node, loops: int = 0) -> None:
    """Refuse what calls, stores, defines or includes, loops over what the template made, and deeply nested loops."""
    if type(node).__name__ not in _ALLOWED:
        raise _invalid(f"line {node.lineno or 1}: {_what(node)} is not available here")
    loops += isinstance(node, nodes.For)
    if loops > 2:
        raise _invalid(f"line {node.lineno}: loops are nested more than twice")
    for child in node.iter_child_nodes():
        _refuse_runaway(child, loops)
    if isinstance(node, nodes.For) and (node.recursive or not _is_variable(node.iter)):
        raise _invalid(f"line {node.lineno}: a loop goes over a variable, such as types")


def _what(node: nodes.Node) -> str:
    """The name of a node that a template's author knows."""
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name | nodes.Getattr):
        return f"{node.node.name if isinstance(node.node, nodes.Name) else node.node.attr}()"
    kind = type(node).__name__.lower()
    return {"assign": "set", "assignblock": "set"}.get(kind, kind)


def _is_variable(node: nodes.Node) -> bool:
    """`types`, `types[0].examples`, `types | sort(attribute="name")`."""
    while isinstance(node, nodes.Getattr | nodes.Getitem) or (
        isinstance(node, nodes.Filter) and node.name == "sort"
    ):
        assert node.node is not None
        node = node.node
    return isinstance(node, nodes.Name)


def _line_of(error: BaseException) -> int:
    """The template's line, from the traceback Jinja rewrote to point into it."""
    frames = walk_tb(error.__traceback__)
    return [1, *(line for frame, line in frames if frame.f_code.co_filename == "<template>")][-1]


def _invalid(detail: str) -> InvalidTemplate:
    problem = FieldProblem("template", detail)
    return InvalidTemplate(f"template: {detail}", problems=[problem])
