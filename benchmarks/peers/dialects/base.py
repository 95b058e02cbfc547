"""A request for a chat completion, and an answer to it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.peers.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class Request:
    """The body of a request to chat.completions."""

    body: Mapping[str, Any]

    @property
    def system(self) -> str:
        return "\n".join(text for role, text in self._texts() if role in ("system", "developer"))

    @property
    def last(self) -> str:
        """The last message's text."""
        return self._texts()[-1][1]

    @property
    def said(self) -> list[str]:
        """The texts of the user's side, the last first."""
        return [text for role, text in reversed(self._texts()) if role == "user"]

    @property
    def tools(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.body.get("tools") or ()]

    @property
    def tokens(self) -> int:
        """What a vendor would bill as the prompt: messages, functions and schema."""
        texts = [text for _, text in self._texts()]
        texts += [json.dumps(tool["function"]) for tool in self.body.get("tools") or ()]
        schema = (self.body.get("response_format") or {}).get("json_schema")
        return sum(map(count_tokens, [*texts, json.dumps(schema)] if schema else texts))

    def _texts(self) -> list[tuple[str, str]]:
        return [(message["role"], _text_of(message.get("content"))) for message in self.body["messages"]]


@dataclass(frozen=True, slots=True)
class Answer:
    """Text, or functions to call: (name, arguments)."""

    text: str = ""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


def as_json(told: Any) -> Answer:
    return Answer(json.dumps(told, ensure_ascii=False))


def _text_of(content: Any) -> str:
    """A content is a text, or a list of parts."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or ())
