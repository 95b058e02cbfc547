"""The interface of all language models: requests, answers and providers.

A provider is an alias in `LLM_PROVIDERS`. Only this package knows vendors. A provider answers with text even if JSON
was asked for; the caller checks the JSON.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from providers.errors import RequestRefused
from providers.reported import storable

if TYPE_CHECKING:
    from providers.llm.chat import ChatPart, ChatRequest

Task = Literal[
    "operations", "extract", "decide", "score", "classify", "record", "summarise", "agent", "curate"
]


@dataclass(frozen=True, slots=True)
class NumberedEntry:
    """A remembered entry as the model sees it: by number, never by ID."""

    number: int
    type: str
    subject: str
    content: str
    key: str | None = None
    effective_at: datetime | None = None
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class NumberedMessage:
    """A new message as the model sees it."""

    number: int
    role: str
    speaker: str
    content: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class NumberedFact:
    """A fact that an earlier question extracted and that has to be decided on. `messages`: numbers.

    `forget`: the person wants it forgotten, so it must not be stored.
    """

    number: int
    content: str
    type: str
    subject: str
    forget: bool = False
    messages: tuple[int, ...] = ()
    happens_at: str | None = None


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A key of the vocabulary under which facts are recorded."""

    name: str
    type: str
    description: str = ""
    single_valued: bool = False


@dataclass(frozen=True, slots=True)
class AgentData:
    """An agent's session: the assignment, and its steps as (tool, result). To curate, also hot context, the session's
    version and the one that was changed `elsewhere`.
    """

    question: Literal["agent", "curate"]
    assignment: str
    steps: tuple[tuple[str, str], ...] = ()
    hot_context: str = ""
    elsewhere: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class PromptData:
    """The prompt's content in structured form, for providers that answer by rules.

    `task` is the kind of question, which decides the format of the answer (memory.ingestion.strategies):

    operations  add, update and delete entries; all or the likely ones are given
    extract     atomic facts from the messages; no entries are given
    decide      what each of `facts` does to the given entries, which are the likely ones
    score       memories from the messages, each with its importance from 1 to 10
    classify    memories from the messages, each with its type and confidence
    record      memories from the messages under `keys`, as the arguments of a tool call
    summarise   a summary of `summary` and the messages in about `words` words, as plain text
    agent       the next step of an agent's session (workspace.sessions)
    curate      the session's hot context, as plain text

    `earlier`: what the person said before, for reference only.
    """

    entries: tuple[NumberedEntry, ...]
    messages: tuple[NumberedMessage, ...]
    timezone: str
    types: tuple[str, ...]
    user_name: str
    task: Task = "operations"
    facts: tuple[NumberedFact, ...] = ()
    keys: tuple[KnownKey, ...] = ()
    earlier: tuple[str, ...] = ()
    summary: str = ""
    words: int = 0
    agent: AgentData | None = None


# By vendor: its name for the schema of a function's arguments.
TOOL_FORMATS = {"openai": "parameters", "anthropic": "input_schema", "gemini": "parametersJsonSchema"}


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A function that a model may call, or has to. `parameters`: the JSON Schema of its arguments, an object."""

    name: str
    description: str
    parameters: dict[str, Any]

    @classmethod
    def of(
        cls, name: str, description: str, properties: dict[str, Any], optional: Collection[str] = ()
    ) -> Self:
        """A function with these arguments and no others."""
        required = [each for each in properties if each not in optional]
        whole = {"type": "object", "properties": properties, "required": required}
        return cls(name, description, {**whole, "additionalProperties": False})

    def in_format(self, vendor: str) -> dict[str, Any]:
        """The definition in the format of a vendor, one of TOOL_FORMATS; Gemini's is a function declaration."""
        function = {"name": self.name, "description": self.description, TOOL_FORMATS[vendor]: self.parameters}
        return {"type": "function", "function": function} if vendor == "openai" else function


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A question to a model.

    `schema`: a JSON Schema; None: plain text. With `tool`, `schema` is ignored: the model has to call that function,
    and the answer's text is the JSON of the arguments. `model` and `max_output_tokens` default to the provider's
    options, then to the vendor's defaults. `history`: (role, text) turns, with the role `user` or `assistant`; see
    `turns` for their place.
    """

    system: str
    prompt: str
    schema: dict[str, Any] | None
    prompt_data: PromptData | None = None
    model: str | None = None
    max_output_tokens: int | None = None
    history: tuple[tuple[str, str], ...] = ()
    tool: ToolSpec | None = None

    @property
    def shape(self) -> dict[str, Any] | None:
        """The JSON Schema of the answer's text, from `tool` or `schema`. None: plain text."""
        return self.tool.parameters if self.tool else self.schema

    def turns(self) -> tuple[tuple[str, str], ...]:
        """All (role, text) turns, in the order for the model.

        History comes before the prompt. But history that begins with an assistant's turn is an answer to the prompt,
        so it comes after it: this is the repair round, `(("assistant", bad answer), ("user", what was wrong))`.
        """
        prompt = ("user", self.prompt)
        if self.history and self.history[0][0] == "assistant":
            return (prompt, *self.history)
        return (*self.history, prompt)


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer, made storable, and its usage.

    Tokens are the vendor's counts, None if it gave none; output includes a reasoning model's thoughts, cached is a
    part of prompt. `cost` is in USD, None if the price is unknown.
    """

    text: str
    provider: str
    model: str
    prompt_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost: Decimal | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", storable(self.text))


def traced_as(provider: "LLMProvider", model: str) -> dict[str, str]:
    """A trace's attributes for a question, with OpenTelemetry's names."""
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider.kind,
        "gen_ai.request.model": model,
        "rapport.provider": provider.alias,
    }


def traced_usage(completion: Completion) -> dict[str, int | None]:
    return {
        "gen_ai.usage.input_tokens": completion.prompt_tokens,
        "gen_ai.usage.output_tokens": completion.output_tokens,
    }


class LLMProvider(ABC):
    """A configured language model. One instance per process and alias, used by many threads.

    `kind` names the class, `alias` the instance.
    """

    kind: ClassVar[str]
    default_model: str = ""

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        """`options`: the alias's OPTIONS from the settings."""
        self.alias = alias

    @abstractmethod
    def complete(self, request: CompletionRequest) -> Completion:
        """Ask the model and wait for its answer. Raises only ProviderError."""

    def stream(self, request: "ChatRequest") -> "Iterator[ChatPart]":
        """Yield the model's reply in parts; the last one has the finish reason. Raises ProviderError, at any part."""
        raise RequestRefused(
            f"The provider {self.alias!r} does not support conversations: choose another one."
        )

    def close(self) -> None:  # noqa: B027 - most providers hold nothing
        """Close connections. The provider is not used afterwards."""
