"""JSON that comes inside a text, from a caller, a model or a tool, is refused where nobody can read it."""

from collections.abc import Callable

import pytest

from connect.mem0.import_file import _memories as memories_of
from connect.mem0.requests import Refusal
from connect.mem0.requests import _object as filters_of
from providers.errors import RequestRefused
from providers.llm.gemini_chat import _call_part as part_of
from web.errors import InvalidInput
from workspace.errors import ToolRefused
from workspace.gateway.call import _json as answer_of
from workspace.sessions.run import UNREADABLE
from workspace.sessions.run import _read as tool_of

TEXTS = {"deep": "[" * 100_000, "long number": "1" * 5000, "half": '{"a":', "no object": "7"}
READERS: dict[str, tuple[Callable[[str], object], type[Exception]]] = {
    "filters of mem0": (filters_of, Refusal),
    "memories of mem0": (lambda text: list(memories_of(text)), InvalidInput),
    "a call for Gemini": (
        lambda text: part_of({"function": {"name": "look", "arguments": text}}),
        RequestRefused,
    ),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize(("read", "refusal"), READERS.values(), ids=READERS)
def test_it_is_refused(read: Callable[[str], object], refusal: type[Exception], text: str) -> None:
    with pytest.raises(refusal):
        read(text)


@pytest.mark.parametrize("text", [TEXTS["deep"], TEXTS["long number"], TEXTS["half"]])
def test_an_answer_of_a_tool_is_refused(text: str) -> None:
    with pytest.raises(ToolRefused):
        answer_of(text)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_an_agent_s_model_says_is_unreadable(text: str) -> None:
    inside = '{"tool": "view", "input": "' + text.replace('"', '\\"') + '"}'

    assert tool_of(text) == tool_of(inside) == (UNREADABLE, {})
