"""Renders ingestion prompts. A developer's template runs in a sandbox: it can read its variables and do nothing else.

The prompt a model gets has three parts: the contract (how to answer; ours), the guidance (what to keep; the
companion's ingestion prompt, or default.md), and the material (entries and messages; ours). A developer writes the
guidance, so that no wording of theirs can break the answers.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from memory.errors import InvalidTemplate
from relationships.errors import FieldProblem

PROMPTS = Path(__file__).parent / "prompts"
MAX_TEMPLATE_CHARACTERS = 20_000
MAX_RENDERED_CHARACTERS = 60_000

# What a developer's template may use, with an example of each; docs/reference/ingestion-prompt.md lists them.
GUIDANCE_EXAMPLE: Mapping[str, Any] = {
    "user": "Maya",
    "companion": "Ada",
    "today": "2026-03-02",
    "timezone": "Europe/Lisbon",
    "types": [{"name": "preference", "description": "likes and dislikes", "examples": ["Likes tea"]}],
    "session": "current",
    "entry_count": 12,
}


class _Sandbox(ImmutableSandboxedEnvironment):
    """No globals (a range could run for ever), and no arithmetic that can make a text of any length."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=False)
        self.globals.clear()
        self.filters = {
            name: self.filters[name]
            for name in (
                "join",
                "lower",
                "upper",
                "title",
                "trim",
                "length",
                "first",
                "last",
                "default",
                "sort",
            )
        }

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if not (isinstance(left, int | float) and isinstance(right, int | float)) or operator == "**":
            raise SecurityError(f"{operator} is not available here")
        return super().call_binop(context, operator, left, right)


_sandbox = _Sandbox()


def check_guidance(template: str) -> None:
    """Refuse a template that can't be rendered. Raises InvalidTemplate, naming the line."""
    if not template.strip():
        raise _invalid("is empty")
    if len(template) > MAX_TEMPLATE_CHARACTERS:
        raise _invalid(f"has {len(template):,} characters; the limit is {MAX_TEMPLATE_CHARACTERS:,}")
    try:
        _refuse_runaway(_sandbox.parse(template))
    except TemplateSyntaxError as error:
        raise _invalid(f"line {error.lineno}: {error.message}") from None
    render_guidance(template, GUIDANCE_EXAMPLE)


def render_guidance(template: str, variables: Mapping[str, Any]) -> str:
    """The template with its variables (names of GUIDANCE_EXAMPLE). Raises InvalidTemplate."""
    try:
        pieces, length = [], 0
        for piece in _compiled(template).generate(**variables):
            length += len(piece)
            if length > MAX_RENDERED_CHARACTERS:
                raise _invalid(f"renders to more than {MAX_RENDERED_CHARACTERS:,} characters")
            pieces.append(piece)
        return "".join(pieces).strip()
    except TemplateSyntaxError as error:
        raise _invalid(f"line {error.lineno}: {error.message}") from None
    except (TemplateError, ArithmeticError, TypeError, ValueError, RecursionError) as error:
        raise _invalid(f"line {_line_of(error)}: {error}") from None


def default_guidance() -> str:
    return (PROMPTS / "default.md").read_text()


@cache
def shipped(name: str) -> Template:
    """One of our own templates."""
    return _sandbox.from_string((PROMPTS / name).read_text())


@lru_cache(maxsize=256)
def _compiled(template: str) -> Template:
    return _sandbox.from_string(template)


def _refuse_runaway(node: nodes.Node, loops: int = 0) -> None:
    """A template is text with variables: nothing that includes, defines, or loops more than twice deep."""
    if isinstance(
        node, nodes.Macro | nodes.CallBlock | nodes.Include | nodes.Import | nodes.FromImport | nodes.Extends
    ):
        raise _invalid(f"line {node.lineno}: {type(node).__name__.lower()} is not available here")
    loops += isinstance(node, nodes.For)
    if loops > 2:
        raise _invalid(f"line {node.lineno}: loops are nested more than twice")
    for child in node.iter_child_nodes():
        _refuse_runaway(child, loops)


def _line_of(error: BaseException) -> int:
    """The template's line, from the traceback Jinja rewrote to point into it."""
    line, frame = 1, error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == "<template>":
            line = frame.tb_lineno
        frame = frame.tb_next
    return line


def _invalid(detail: str) -> InvalidTemplate:
    problem = FieldProblem("template", detail)
    return InvalidTemplate(f"template: {detail}", problems=[problem])
