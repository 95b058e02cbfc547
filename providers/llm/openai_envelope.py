"""An answer in the format of OpenAI's chat completions, read leniently but checked.

The SDK accepts any JSON as a ChatCompletion, and servers add fields that it does not know. So we read the body
ourselves, as far as we use it: nulls are accepted, a wrong type is a ValueError.
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


class Part(BaseModel):
    text: str | None = None


class CalledFunction(BaseModel):
    """`arguments`: JSON as a string; some servers send the object itself."""

    arguments: str | dict[str, Any] | None = None


class ToolCall(BaseModel):
    function: CalledFunction | None = None


class Message(BaseModel):
    """`content` may be a list of parts. A reasoning model's thoughts are in one of two fields."""

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
    """`error`: some gateways report a failure in a 200."""

    model: str | None = None
    choices: list[Choice] | None = None
    usage: Usage | None = None
    error: Any = None

    def text(self, *, reasoning_may_answer: bool) -> str:
        """The answer's text. Some servers put all of it into the thoughts; then the JSON is taken from there."""
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
        """The arguments of all function calls, unchanged."""
        called = self.choices[0].message.tool_calls if self.choices else None
        arguments = [call.function.arguments for call in called or () if call.function]
        return [
            json.dumps(given, ensure_ascii=False) if isinstance(given, dict) else given or ""
            for given in arguments
        ]

    def problem(self, text: str, *, quote: Callable[[object], str]) -> ProviderError | None:
        """Why the answer can't be used, or None. `quote` shortens and masks the server's words."""
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
