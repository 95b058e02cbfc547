"""POST /v1/chat/completions by OpenAI's protocol: replies that use the memory, whole or streamed."""

from collections.abc import AsyncGenerator, Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rapport_client.errors import StreamBroken
from rapport_client.sending import UNSET, Event, Maybe, Operation

if TYPE_CHECKING:
    from rapport_client.client import AsyncRapport, Rapport

PATH = "/v1/chat/completions"


@dataclass
class Reply:
    """What a stream has sent so far. `text`: the reply, or the words with which the model refused; `rapport`: the
    service's own additions, sent with the last chunk; `tool_calls`: in the form of an assistant message.
    """

    text: str = ""
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None
    rapport: dict[str, Any] = field(default_factory=dict)
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    done: bool = False

    def take(self, event: Event) -> str:
        """Return the text that this chunk adds. Raises StreamBroken if the chunk reports an error."""
        chunk = event.data
        if chunk == "[DONE]":
            self.done = True
            return ""
        if not isinstance(chunk, dict) or "error" in chunk:
            raise StreamBroken(f"The reply broke off: {chunk}")
        self.usage = chunk.get("usage") or self.usage
        self.rapport |= chunk.get("rapport") or {}
        added = ""
        for choice in chunk.get("choices", [])[:1]:
            delta = choice.get("delta", {})
            self.finish_reason = choice.get("finish_reason") or self.finish_reason
            for part in delta.get("tool_calls") or []:
                self._take_call(part)
            added = delta.get("content") or delta.get("refusal") or ""
        self.text += added
        return added

    def _take_call(self, part: dict[str, Any]) -> None:
        """Add a part of a tool call: the first part has the ID and the name, the others continue the arguments."""
        place = part.get("index", len(self.tool_calls))
        function = part.get("function") or {}
        if place >= len(self.tool_calls):
            begun = {**function, "arguments": function.get("arguments") or ""}
            self.tool_calls.append({"id": part.get("id"), "type": "function", "function": begun})
        else:
            self.tool_calls[place]["function"]["arguments"] += function.get("arguments") or ""

    def end(self) -> None:
        """Raise StreamBroken if the stream ended without its last chunk."""
        if not self.done:
            raise StreamBroken("The reply broke off.")


def _asked(
    companion: str,
    messages: str | Sequence[dict[str, Any]],
    *,
    stream: bool,
    user: str | None = None,
    session: str | None = None,
    idempotency_key: Maybe[str] = UNSET,
    **options: Any,
) -> Operation:
    said = [{"role": "user", "content": messages}] if isinstance(messages, str) else list(messages)
    body = {"model": companion, "messages": said, "stream": stream, **options}
    if user is not None:  # in the body, because headers hold only ASCII
        body["user"] = user
    if session is not None:
        body["metadata"] = {**(options.get("metadata") or {}), "session": session}
    if stream:
        body.setdefault("stream_options", {"include_usage": True})
    return Operation("POST", PATH, headers={"Idempotency-Key": idempotency_key}, json=body, asking=True)


class Chat:
    """Replies of a companion (its slug) to `messages`, which may be one text of the person.

    Both methods also take `user` (your own ID of the person; leave it out with a token), `session`, `idempotency_key`,
    and any option of OpenAI's protocol, such as `tools`.
    """

    def __init__(self, client: "Rapport") -> None:
        self._client = client

    def complete(
        self, companion: str, messages: str | Sequence[dict[str, Any]], **asked: Any
    ) -> dict[str, Any]:
        """Return the whole answer, in OpenAI's format."""
        answer: dict[str, Any] = self._client._send(_asked(companion, messages, stream=False, **asked))
        return answer

    def stream(
        self,
        companion: str,
        messages: str | Sequence[dict[str, Any]],
        *,
        into: Reply | None = None,
        **asked: Any,
    ) -> Generator[str, None, None]:
        """Yield the reply's text piece by piece; `into` collects everything else. Raises StreamBroken."""
        reply = into if into is not None else Reply()
        for event in self._client._stream(_asked(companion, messages, stream=True, **asked)):
            if text := reply.take(event):
                yield text
        reply.end()


class AsyncChat:
    """Chat for asyncio."""

    def __init__(self, client: "AsyncRapport") -> None:
        self._client = client

    async def complete(
        self, companion: str, messages: str | Sequence[dict[str, Any]], **asked: Any
    ) -> dict[str, Any]:
        answer: dict[str, Any] = await self._client._send(_asked(companion, messages, stream=False, **asked))
        return answer

    async def stream(
        self,
        companion: str,
        messages: str | Sequence[dict[str, Any]],
        *,
        into: Reply | None = None,
        **asked: Any,
    ) -> AsyncGenerator[str, None]:
        reply = into if into is not None else Reply()
        async for event in self._client._stream(_asked(companion, messages, stream=True, **asked)):
            if text := reply.take(event):
                yield text
        reply.end()
