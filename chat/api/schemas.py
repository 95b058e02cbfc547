"""Bodies and answers of the endpoint. OpenAI's fields that mean something to us; the others are the model's."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import ConfigDict, Field, StringConstraints, ValidationError

from chat.messages import SYSTEM
from web.errors import InvalidInput, NotAllowed
from web.fields import Answer, Body, FailFastModel, JsonObject, field_problems

LONGEST_WAIT = 10  # seconds
# What is ours; every other field goes to the model as it came.
_OURS = frozenset(
    {"model", "messages", "tools", "stream", "stream_options", "user", "metadata", "store", "n", "rapport"}
)


class RapportWishes(Body):
    wait_for_memory: Annotated[float, Field(ge=0, le=LONGEST_WAIT, strict=False)] | None = None
    """Seconds that the end of the reply may wait for the badge: what the turn changed in memory."""
    replaces: Annotated[UUID, Field(strict=False)] | None = None
    """The `turn_id` of the exchange in whose place this one comes: the same message for another reply, or another
    message. What stood there, and what came after it in the session, is withdrawn.
    """


class StreamOptions(FailFastModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    include_usage: bool = False


class ChatBody(FailFastModel):
    model_config = ConfigDict(extra="allow", frozen=True, strict=True, use_attribute_docstrings=True)

    model: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    """A companion's slug."""
    messages: Annotated[list[JsonObject], Field(min_length=1)]
    """The conversation, or its newest message alone: then the stored ones are shown before it."""
    tools: list[JsonObject] | None = None
    """Your own functions. The model calls them, and you answer."""
    tool_choice: str | JsonObject | None = None
    """Of your own functions alone: none, auto, required, or one of them by name."""
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    user: str | None = None
    """The person's external_id; a relationship token or the header X-Rapport-User goes before it."""
    metadata: JsonObject | None = None
    """`session` names the session, where the header X-Rapport-Session does not."""
    store: bool | None = None
    """false: it is answered, and nothing of it is kept."""
    n: int | None = None
    """1: one reply is remembered."""
    rapport: RapportWishes = RapportWishes()

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Raises InvalidInput."""
        try:
            body = cls.model_validate(data)
        except ValidationError as error:
            raise InvalidInput.naming(field_problems(error, data)) from None
        if old := next((name for name in ("functions", "function_call") if data.get(name)), None):
            raise InvalidInput.of(old, "is no longer part of the protocol: send tools and tool_choice")
        if body.n not in (None, 1):
            raise InvalidInput.of("n", "must be 1: one reply is remembered")
        for place, tool in enumerate(body.tools or ()):
            function = tool.get("function")
            if not (isinstance(function, dict) and isinstance(function.get("name"), str)):
                raise InvalidInput.of(f"tools.{place}", "must be a function with a name")
        body._refuse_other_choice()
        return body

    def _refuse_other_choice(self) -> None:
        """A model that had to call what is not there would call ours for ever. Raises InvalidInput."""
        names = [tool["function"]["name"] for tool in self.tools or ()]
        function = self.tool_choice.get("function") if isinstance(self.tool_choice, dict) else None
        if isinstance(function, dict) and function.get("name") not in names:
            raise InvalidInput.of("tool_choice", "names none of `tools`")
        if not names and self.tool_choice not in (None, "none", "auto"):
            raise InvalidInput.of("tool_choice", "there are no `tools` to choose from")

    @property
    def wants_usage(self) -> bool:
        return bool(self.stream_options and self.stream_options.include_usage)

    def options(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """What goes on to the model."""
        return {name: value for name, value in data.items() if name not in _OURS and value is not None}

    def refuse_prompt(self) -> None:
        """What a person's browser may not choose. Raises NotAllowed."""
        if any(message.get("role") in SYSTEM for message in self.messages):
            raise NotAllowed("A relationship token can't set the system prompt: leave system messages out.")


class OpenAIErrorDetail(Answer):
    message: str
    type: str
    param: str | None
    """The field at fault."""
    code: str | None
    problem: JsonObject
    """The problem as all other calls tell it (RFC 9457)."""


class OpenAIError(Answer):
    error: OpenAIErrorDetail


class ChatMessage(Answer):
    role: Literal["assistant"]
    content: str | None
    refusal: str | None
    tool_calls: list[JsonObject] = []


class ChatChoice(Answer):
    index: int
    message: ChatMessage
    finish_reason: str
    """As the model's: stop, length, tool_calls, content_filter."""


class ChatCompletion(Answer):
    """The whole reply. With `stream`, the same as server-sent events, which end with [DONE], or with an error."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[ChatChoice]
    usage: JsonObject
    rapport: JsonObject
    """turn_id, context_id, the entries shown, the memory tools that were called, and with `wait_for_memory` what was
    remembered. In a stream it is a field of the last chunk.
    """


class ModelAnswer(Answer):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ModelList(Answer):
    object: Literal["list"]
    data: list[ModelAnswer]
