"""The tools with which a model manages memory itself.

`memory_*` are the tools of the two-call system, the others MemGPT's (Packer et al. 2023).
"""

from typing import Any

from providers.llm.base import ToolSpec

CATEGORIES = ("preference", "fact", "deadline", "decision", "context")
PAGE = 5
_TEXT: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 4000}
_PAGE: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": 100, "default": 0}
_BLOCK: dict[str, Any] = {"type": "string", "enum": ["human", "persona"]}


def _tool(name: str, description: str, **properties: dict[str, Any]) -> ToolSpec:
    optional = [key for key, schema in properties.items() if "default" in schema]
    return ToolSpec.of(name, description, properties, optional)


_ALL = (
    _tool(
        "memory_search",
        "Search your memory for relevant facts, preferences, or context. Use this when you need to recall previously "
        "stored information.",
        query=_TEXT,
        limit={"type": "integer", "minimum": 1, "maximum": 50, "default": 5},
    ),
    _tool(
        "memory_add",
        "Store an important fact, preference, or piece of context for future reference.",
        content=_TEXT,
        category={"type": "string", "enum": list(CATEGORIES), "default": "fact"},
    ),
    _tool(
        "memory_forget",
        "Remove a stored memory that is no longer accurate or relevant. Describe the one to forget, in its own words.",
        query=_TEXT,
    ),
    _tool(
        "core_memory_append",
        "Append to your core memory, which you always see: what you know of the human, or of your own persona.",
        label=_BLOCK,
        content=_TEXT,
        type={**_TEXT, "maxLength": 60, "default": "other"},
    ),
    _tool(
        "core_memory_replace",
        "Replace an exact text in your core memory with another one. To delete it, replace it with an empty text.",
        label=_BLOCK,
        old_content=_TEXT,
        new_content={"type": "string", "maxLength": 4000},
    ),
    _tool(
        "archival_memory_search",
        "Search your archival memory, which is larger than what you see.",
        query=_TEXT,
        page=_PAGE,
    ),
    _tool(
        "conversation_search",
        "Search what was said in earlier conversations, in its own words.",
        query=_TEXT,
        page=_PAGE,
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
READING = frozenset({"memory_search", "archival_memory_search", "conversation_search"})
WRITING = frozenset({"memory_add", "core_memory_append", "core_memory_replace"})
