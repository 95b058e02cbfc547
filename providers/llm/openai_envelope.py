"""What a server that speaks OpenAI's chat completions sends back, read leniently but checked.

The SDK takes any JSON for a ChatCompletion without looking, and servers add fields that it does not know. So
the body is read here, only as far as it is used: nulls are borne, a wrong shape is a ValueError.
"""

import json
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from providers.errors import (
    AnswerTruncated,
    ContentBlocked,
    EmptyAnswer,
    ProviderError,
    ProviderUnavailable,
)
from providers.llm.json_text import without_thoughts

CALLED = {"tool_calls", "function_call"}  # it stopped to have a function called: the answer is complete


class Part(BaseModel):
    text: str | None = None


class CalledFunction(BaseModel):
    """`arguments` is JSON in a string; some servers send the object itself."""

    arguments: str | dict[str, Any] | None = None


class ToolCall(BaseModel):
    function: CalledFunction | None = None


class Message(BaseModel):
    """`content` may come in parts; a reasoning model's thoughts have a field of their own, by either name."""

    content: str | list[Part] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[ToolCall] | None = None


class Choice(BaseModel):
    message: Message
    finish_reason: str | None = None


class CachedTokens(BaseModel):
    cached_tokens: int | None = None


class Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: CachedTokens | None = None


class Envelope(BaseModel):
    """`error`: some gateways put a failure into a 200."""

    id: str | int | None = None
    model: str | None = None
    choices: list[Choice] | None = None
    usage: Usage | None = None
    error: Any = None

    def text(self, *, reasoning_may_answer: bool) -> str:
        """The answer. Some servers take the whole of it for thoughts: then the JSON asked for is in there."""
        if not self.choices:
            return ""
        message = self.choices[0].message
        content = message.content or ""
        if isinstance(content, list):
            content = "".join(part.text or "" for part in content)
        if content.strip() or not reasoning_may_answer:
            return content
        return message.reasoning_content or message.reasoning or ""

    def calls(self) -> list[str]:
        """The arguments of every call of a function, as they came."""
        called = self.choices[0].message.tool_calls if self.choices else None
        arguments = [call.function.arguments for call in called or () if call.function]
        return [
            json.dumps(given, ensure_ascii=False) if isinstance(given, dict) else given or ""
            for given in arguments
        ]

    def problem(self, text: str, *, quote: Callable[[object], str]) -> ProviderError | None:
        """Why the answer can't be used, if it can't. `quote` makes a server's words fit to be shown."""
        if self.error:
            return ProviderUnavailable(f"The server answered an error: {quote(self.error)}")
        if not self.choices:
            return EmptyAnswer("The server answered without a choice.")
        choice = self.choices[0]
        if choice.message.refusal:
            return ContentBlocked(f"The model refused: {quote(choice.message.refusal)}")
        if choice.finish_reason == "content_filter":
            return ContentBlocked("A content filter stopped the answer.")
        if choice.finish_reason == "length":
            return AnswerTruncated("The answer was cut off at the token limit (length).")
        if not without_thoughts(text).strip():
            return EmptyAnswer(f"The server answered without text (finish reason: {choice.finish_reason}).")
        return None

    def finish_reason(self, problem: ProviderError | None) -> str:
        if isinstance(problem, ContentBlocked):
            return "blocked"
        stated = (self.choices[0].finish_reason if self.choices else None) or "none"
        return "stop" if stated in CALLED else stated.lower()
