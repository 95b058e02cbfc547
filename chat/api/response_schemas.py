"""Request and response schemas of the Responses protocol: the fields that we use. Others are passed to the model."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, ValidationError

from chat.api.schemas import RapportWishes
from chat.messages import SYSTEM
from chat.responses.ids import ReplyId, reply_of
from chat.responses.items import Item
from web.errors import InvalidInput, NotAllowed
from web.field_problems import field_problems
from web.fields import Answer, FailFastModel, JsonObject, SessionName

# The fields that we use ourselves, or that only OpenAI can follow; all others are passed to the model unchanged.
_OURS = frozenset(
    """model input instructions tools tool_choice stream stream_options user metadata store previous_response_id
    conversation text reasoning max_output_tokens top_logprobs include truncation background prompt max_tool_calls
    rapport""".split()
)
_ONLY_OPENAI = ("background", "prompt")
# They would say to the model what this protocol says in other fields, or have it make what can't be remembered.
_ONLY_CHAT = ("messages", "functions", "function_call", "n", "modalities")
_LOGPROBS = "message.output_text.logprobs"


class ConversationName(FailFastModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    id: SessionName


class ResponseBody(FailFastModel):
    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    model: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    """A companion's slug."""
    input: Annotated[str, StringConstraints(min_length=1)] | Annotated[list[JsonObject], Field(min_length=1)]
    """The newest message, or items: the conversation, or only what is new in it."""
    instructions: str | None = None
    """The client's own system prompt."""
    tools: list[JsonObject] | None = None
    """Your own functions. If the model calls one, you send the result."""
    tool_choice: str | JsonObject | None = None
    """Applies to your own functions only: none, auto, required, or one of them by name."""
    stream: bool | None = None
    user: str | None = None
    """The person's external_id. A relationship token or the header X-Rapport-User takes precedence."""
    metadata: JsonObject | None = None
    """`session` names the session, unless the header X-Rapport-Session does."""
    conversation: SessionName | ConversationName | None = None
    """Names the session, too."""
    previous_response_id: Annotated[str, StringConstraints(max_length=200)] | None = None
    """The response that this call follows. It names the person and the session, unless the call does."""
    store: bool | None = None
    """false: reply without storing anything."""
    text: JsonObject | None = None
    """The `format` of the reply, and its verbosity."""
    reasoning: JsonObject | None = None
    max_output_tokens: int | None = None
    top_logprobs: int | None = None
    include: list[str] | None = None
    rapport: RapportWishes = RapportWishes()

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Raises InvalidInput."""
        try:
            body = cls.model_validate(data)
        except ValidationError as error:
            raise InvalidInput.naming(field_problems(error, data)) from None
        for name in _ONLY_OPENAI:
            if data.get(name):
                raise InvalidInput.of(name, "is something that only OpenAI can do: leave it out")
        for name in _ONLY_CHAT:
            if data.get(name) is not None:
                raise InvalidInput.of(name, "is a field of chat completions: leave it out")
        if body.conversation and body.previous_response_id:
            raise InvalidInput.of("conversation", "send it or previous_response_id, not both")
        if body.previous_response_id and body.previous is None:
            raise InvalidInput.of("previous_response_id", "is not the ID of a response from here")
        body._check_tools()
        return body

    @property
    def previous(self) -> ReplyId | None:
        return reply_of(self.previous_response_id) if self.previous_response_id else None

    @property
    def identity(self) -> dict[str, Any]:
        """What says who talks in which session, by the names of chat completions."""
        named = self.conversation.id if isinstance(self.conversation, ConversationName) else self.conversation
        said = self.metadata or {}
        session = {} if named is None or said.get("session") is not None else {"session": named}
        return {
            "model": self.model,
            "user": self.user,
            "metadata": {**said, **session},
            "store": self.store,
            "stream": self.stream,
        }

    def functions(self) -> list[JsonObject]:
        """The client's tools in the format of chat completions."""
        names = ("name", "description", "parameters", "strict")
        return [
            {
                "type": "function",
                "function": {name: tool[name] for name in names if tool.get(name) is not None},
            }
            for tool in self.tools or ()
        ]

    def options(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The fields that are passed to the model, by their names in chat completions."""
        text, choice = self.text or {}, self.tool_choice
        wants_logprobs = _LOGPROBS in (self.include or ()) or bool(self.top_logprobs)
        mapped = {
            "tool_choice": _named(choice) if isinstance(choice, dict) else choice,
            "max_completion_tokens": self.max_output_tokens,
            "response_format": _format(text.get("format")),
            "verbosity": text.get("verbosity"),
            "reasoning_effort": (self.reasoning or {}).get("effort"),
            "logprobs": wants_logprobs or None,
            "top_logprobs": self.top_logprobs or None,
        }
        passed = {name: value for name, value in data.items() if name not in _OURS}
        return {name: value for name, value in (passed | mapped).items() if value is not None}

    def refuse_prompt(self, items: Sequence[Item]) -> None:
        """Refuse system messages, which a person's browser may not set. Raises NotAllowed."""
        if self.instructions or any(item.message and item.message["role"] in SYSTEM for item in items):
            raise NotAllowed("A relationship token can't set the system prompt: leave instructions out.")

    def _check_tools(self) -> None:
        """Raises InvalidInput: a tool that OpenAI runs, or a choice of none of the tools."""
        for place, tool in enumerate(self.tools or ()):
            if tool.get("type") != "function":
                raise InvalidInput.of(
                    f"tools.{place}.type", "must be function: OpenAI runs the others itself"
                )
            if not isinstance(tool.get("name"), str):
                raise InvalidInput.of(f"tools.{place}.name", "must be a text")
        names, choice = [tool["name"] for tool in self.tools or ()], self.tool_choice
        if isinstance(choice, dict) and (choice.get("type") != "function" or choice.get("name") not in names):
            raise InvalidInput.of(
                "tool_choice", "must be none, auto, required, or one of `tools` by its name"
            )
        if not names and choice not in (None, "none", "auto"):
            raise InvalidInput.of("tool_choice", "there are no `tools` to choose from")


def _named(choice: JsonObject) -> JsonObject:
    return {"type": "function", "function": {"name": choice["name"]}}


def _format(wanted: Any) -> JsonObject | None:
    """The reply's format as chat completions name it. Raises InvalidInput."""
    if wanted is None or wanted == {"type": "text"}:
        return None
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    if kind == "json_object":
        return {"type": kind}
    if kind == "json_schema":
        return {"type": kind, kind: {name: value for name, value in wanted.items() if name != "type"}}
    raise InvalidInput.of("text.format", "must have the type text, json_object or json_schema")


class ResponseAnswer(Answer):
    """The complete reply. With `stream`, it comes as server-sent events that end with response.completed,
    response.incomplete or error.
    """

    id: str
    """Send it as `previous_response_id` to go on."""
    object: Literal["response"]
    created_at: int
    status: Literal["completed", "incomplete"]
    incomplete_details: JsonObject | None
    model: str
    output: list[JsonObject]
    """A message, with the reply's text, and calls of your functions."""
    usage: JsonObject | None
    rapport: JsonObject
    """As in chat completions."""
