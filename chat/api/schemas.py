"""Request and response schemas of the endpoint: the fields of OpenAI's that we use. Others are passed to the model."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import ConfigDict, Field, StringConstraints, ValidationError

from chat.messages import SYSTEM
from web.errors import InvalidInput, NotAllowed
from web.field_problems import field_problems
from web.fields import Answer, Body, FailFastModel, JsonObject

LONGEST_WAIT = 10  # seconds
# The fields that we use ourselves; all others are passed to the model unchanged.
_OURS = frozenset(
    {"model", "messages", "tools", "stream", "stream_options", "user", "metadata", "store", "n", "rapport"}
)


class RapportWishes(Body):
    wait_for_memory: Annotated[float, Field(ge=0, le=LONGEST_WAIT, strict=False)] | None = None
    """Seconds that the end of the reply may be delayed to tell what the turn changed in memory."""
    replaces: Annotated[UUID, Field(strict=False)] | None = None
    """The `turn_id` of the exchange that this one replaces: the same message for another reply, or a different message.
    That exchange, and everything after it in the session, is withdrawn.
    """


class StreamOptions(FailFastModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    include_usage: bool = False


class ChatBody(FailFastModel):
    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    model: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    """A companion's slug."""
    messages: Annotated[list[JsonObject], Field(min_length=1)]
    """The conversation; or only its newest message, which then follows the stored ones."""
    tools: list[JsonObject] | None = None
    """Your own functions. If the model calls one, you send the result."""
    tool_choice: str | JsonObject | None = None
    """Applies to your own functions only: none, auto, required, or one of them by name."""
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    user: str | None = None
    """The person's external_id. A relationship token or the header X-Rapport-User takes precedence."""
    metadata: JsonObject | None = None
    """`session` names the session, unless the header X-Rapport-Session does."""
    store: bool | None = None
    """false: reply without storing anything."""
    n: int | None = None
    """Only 1: one reply is remembered."""
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
        if data.get("modalities") not in (None, ["text"]):
            raise InvalidInput.of("modalities", 'must be ["text"]: a reply is remembered by its words')
        for place, tool in enumerate(body.tools or ()):
            function = tool.get("function")
            if not (isinstance(function, dict) and isinstance(function.get("name"), str)):
                raise InvalidInput.of(f"tools.{place}", "must be a function with a name")
        body._refuse_other_choice()
        return body

    def _refuse_other_choice(self) -> None:
        """Refuse to force a tool that was not sent: the model would call memory tools forever. Raises InvalidInput."""
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
        """The fields that are passed to the model."""
        return {name: value for name, value in data.items() if name not in _OURS and value is not None}

    def refuse_prompt(self) -> None:
        """Refuse system messages, which a person's browser may not set. Raises NotAllowed."""
        if any(message.get("role") in SYSTEM for message in self.messages):
            raise NotAllowed("A relationship token can't set the system prompt: leave system messages out.")


class OpenAIErrorDetail(Answer):
    message: str
    type: str
    param: str | None
    """The invalid field."""
    code: str | None
    problem: JsonObject
    """The problem in the form that all other calls use (RFC 9457)."""


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
    """From the model: stop, length, tool_calls, content_filter."""


class ChatCompletion(Answer):
    """The complete reply. With `stream`, it comes as server-sent events that end with [DONE] or an error."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[ChatChoice]
    usage: JsonObject
    rapport: JsonObject
    """turn_id, context_id, the entries that were shown, the memory tools that were called, and with `wait_for_memory`
    what was remembered. In a stream, a field of the last chunk.
    """


class ModelAnswer(Answer):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ModelList(Answer):
    object: Literal["list"]
    data: list[ModelAnswer]
