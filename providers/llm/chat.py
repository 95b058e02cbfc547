"""A streamed conversation with a model: the request, and the parts of the reply.

Messages, tools and options are in the format of OpenAI's chat completions, which clients and most servers use.
Providers of other vendors translate them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from providers.llm.base import Completion

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request. `messages`, `tools` and `options` (temperature, max_tokens, tool_choice, ...) are in OpenAI's format.

    `model` defaults to the provider's own.
    """

    messages: Sequence[Message]
    tools: Sequence[Mapping[str, Any]] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None


@dataclass(frozen=True, slots=True)
class CallPart:
    """A piece of a tool call. Pieces with the same `index` belong together; their joined `arguments` are JSON.

    `extra`: vendor's data to send back with the call, such as Gemini's thought signature.
    """

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""
    extra: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ChatPart:
    """A piece of a reply. Only the last one has `finish` (stop, length, tool_calls, content_filter, or the vendor's
    word) and `completion`: the usage, without the text.

    `refusal`: words with which the model refuses, in place of an answer in the wanted format. `logprobs`: of the
    piece's tokens, in OpenAI's format: {"content": [...], "refusal": [...]}.
    """

    text: str = ""
    refusal: str = ""
    logprobs: Mapping[str, Any] | None = None
    calls: tuple[CallPart, ...] = ()
    finish: str = ""
    completion: Completion | None = None
