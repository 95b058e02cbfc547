"""A conversation with a model, streamed: what is asked, and the parts in which the reply comes.

Messages, tools and options are in the words of OpenAI's chat completions, which clients and most servers speak: who
speaks them too passes them on as they are, another vendor's file translates them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from providers.llm.base import Completion

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question. `messages`, `tools` and `options` (temperature, max_tokens, tool_choice, ...) as OpenAI has them.

    `model` falls back to the provider's own.
    """

    messages: Sequence[Message]
    tools: Sequence[Mapping[str, Any]] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None


@dataclass(frozen=True, slots=True)
class CallPart:
    """A piece of a call of a tool. Pieces of one `index` belong together; `arguments` is JSON once they are joined.

    `extra` is the vendor's own, to be sent back with the call, such as Gemini's signature of its thoughts.
    """

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""
    extra: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ChatPart:
    """A piece of a reply. The last one, and it alone, has `finish` (stop, length, tool_calls, content_filter, or the
    vendor's own word) and `completion`: what it took, without the text.
    """

    text: str = ""
    calls: tuple[CallPart, ...] = ()
    finish: str = ""
    completion: Completion | None = None
