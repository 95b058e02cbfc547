"""The parameters of the file tools as JSON Schemas, and their definitions in the vendors' formats."""

from collections.abc import Mapping
from typing import Any

from providers.llm.base import ToolSpec
from relationships.configuration.json_schemas import refuse_misshapen
from web.errors import InvalidInput
from workspace.errors import ToolRefused

_PATH = {
    "type": "string",
    "minLength": 1,
    "maxLength": 2048,
    "description": "Such as workspace/outputs/plan.md.",
}
_TEXT = {"type": "string"}
RECALL = "recall"

# name: (what it does, its parameters, which of them are optional)
_TOOLS: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "view": (
        "Show a file with line numbers, or a folder two levels deep; . is the top folder.",
        {
            "path": _PATH,
            "view_range": {
                "type": "array",
                "items": {"type": "integer"},
                "minItems": 2,
                "maxItems": 2,
                "description": "First and last line; -1 for the end.",
            },
        },
        {"view_range"},
    ),
    "create": ("Write a new file. Fails if it is there.", {"path": _PATH, "file_text": _TEXT}, set()),
    "str_replace": (
        "Replace a piece of text that stands in the file exactly once.",
        {"path": _PATH, "old_str": {"type": "string", "minLength": 1}, "new_str": _TEXT},
        {"new_str"},
    ),
    "insert": (
        "Insert text after a line; 0: at the beginning.",
        {"path": _PATH, "insert_line": {"type": "integer"}, "insert_text": _TEXT},
        set(),
    ),
    "delete": ("Delete a file or a folder.", {"path": _PATH}, set()),
    "rename": ("Rename or move a file or a folder.", {"old_path": _PATH, "new_path": _PATH}, set()),
    "grep": (
        "List the lines that hold a text, in any case.",
        {"pattern": {"type": "string", "minLength": 1, "maxLength": 200}, "path": _PATH},
        {"path"},
    ),
    "find": (
        "List the files whose name fits a pattern, such as *.md.",
        {"pattern": {"type": "string", "minLength": 1, "maxLength": 200}},
        set(),
    ),
    RECALL: (
        "Look up what is remembered, also what is in no file. With messages: what was said, word for word.",
        {"query": {"type": "string", "minLength": 1, "maxLength": 8000}, "messages": {"type": "boolean"}},
        {"messages"},
    ),
    "commit": (
        "Say what you did and why; it stands in the history.",
        {"reason": {"type": "string", "minLength": 1, "maxLength": 2000}},
        set(),
    ),
}
OF_ANTHROPIC = {"view", "create", "str_replace", "insert", "delete", "rename"}  # in its own tool `memory`
_SPECS = {name: ToolSpec.of(name, *told) for name, told in _TOOLS.items()}


def is_file_tool(name: str) -> bool:
    return name in _TOOLS


def check_arguments(name: str, arguments: Mapping[str, Any]) -> None:
    """Raises ToolRefused, which names what is wrong."""
    if name not in _TOOLS:
        raise ToolRefused(f"There is no tool {name[:80]!r}; there are {', '.join(_TOOLS)}.")
    try:
        refuse_misshapen(_SPECS[name].parameters, dict(arguments), whole="input")
    except InvalidInput as error:
        raise ToolRefused(error.detail, problems=error.problems) from None


def definitions(vendor: str) -> list[dict[str, Any]]:
    """The tools as the API of a vendor, one of TOOL_FORMATS, takes them."""
    its_own = OF_ANTHROPIC if vendor == "anthropic" else ()
    described = [tool.in_format(vendor) for name, tool in _SPECS.items() if name not in its_own]
    if vendor == "anthropic":
        return [{"type": "memory_20250818", "name": "memory"}, *described]
    return described if vendor == "openai" else [{"functionDeclarations": described}]
