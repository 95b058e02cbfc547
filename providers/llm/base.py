"""The interface behind which every language model stands: what is asked, what comes back, and who answers.

A provider is an alias in `LLM_PROVIDERS`; nothing outside this package knows a vendor. It answers with text,
also where JSON was asked for: whether the JSON is any good is the asker's to judge.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from providers.errors import RequestRefused
from providers.told import storable

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
    pinned: bool = False
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
    """A fact that an earlier question extracted, to be decided on. `messages` are numbers.

    `forget`: the person asks for what it says to be forgotten, so it is never to be kept itself.
    """

    number: int
    content: str
    type: str
    subject: str
    confidence: float
    forget: bool = False
    messages: tuple[int, ...] = ()
    happens_at: str | None = None


@dataclass(frozen=True, slots=True)
class KnownKey:
    """One key of the vocabulary that facts are recorded under."""

    name: str
    type: str
    description: str = ""
    single_valued: bool = False


@dataclass(frozen=True, slots=True)
class AgentData:
    """An agent's session: what it is to do, and (tool, what it said) of what it has done. To curate, hot context too,
    as the session has it and as it was changed `elsewhere`.
    """

    question: Literal["agent", "curate"]
    assignment: str
    steps: tuple[tuple[str, str], ...] = ()
    hot_context: str = ""
    elsewhere: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class PromptData:
    """The structured form of what the prompt says, for providers that answer by rules.

    `task` says which question it is, and so the shape of the answer (memory.ingestion.strategies):

    operations  add, update and delete entries, of which all or the likely ones are shown
    extract     atomic facts of the messages; no entries are shown
    decide      what each of `facts` does to the entries shown, which are the likely ones
    score       memories of the messages, each with its importance from 1 to 10
    classify    memories of the messages, each with its type and the confidence in it
    record      memories of the messages under `keys`, as the arguments of a tool call
    summarise   `summary` and the messages in about `words` words, as plain text
    agent       the next step of an agent's session (workspace.sessions)
    curate      the session's hot context, as plain text

    `earlier` is what the person said before, for reference only.
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


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """The one function a model is made to call. `parameters` is the JSON Schema of an object, its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One question to a model.

    `schema` is a JSON Schema (None: plain text is wanted). With `tool` the model has to call that function
    instead, and the answer's text is the JSON of the arguments it chose; `schema` counts for nothing then.
    `model`, `max_output_tokens` and `temperature` fall back to the provider's options, then to the vendor's
    defaults. `history` holds (role, text) turns, role `user` or `assistant`; see `turns` for where they stand.
    """

    system: str
    prompt: str
    schema: dict[str, Any] | None
    prompt_data: PromptData | None = None
    model: str | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    history: tuple[tuple[str, str], ...] = ()
    tool: ToolSpec | None = None

    @property
    def shape(self) -> dict[str, Any] | None:
        """The JSON Schema that the answer's text is to fit, however it is asked for. None: plain text."""
        return self.tool.parameters if self.tool else self.schema

    def turns(self) -> tuple[tuple[str, str], ...]:
        """Every (role, text) turn in the order in which the model is to read them.

        History comes before the prompt. One that begins with the assistant's turn is an answer to the prompt,
        so it follows it: that is the repair round, `(("assistant", bad answer), ("user", what was wrong))`.
        """
        prompt = ("user", self.prompt)
        if self.history and self.history[0][0] == "assistant":
            return (prompt, *self.history)
        return (*self.history, prompt)


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered, in what can be kept and sent (`storable`), and what it took.

    Tokens are the vendor's own counts (output includes a reasoning model's thoughts; cached is a part of
    prompt), None where it gave none. `cost` is in USD, None where the price is unknown. `finish_reason` is
    `stop`, `length`, `blocked`, or the vendor's own word in lower case.
    """

    text: str
    provider: str
    model: str
    prompt_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    milliseconds: float
    cost: Decimal | None
    finish_reason: str
    request_id: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", storable(self.text))


def traced_as(provider: "LLMProvider", model: str) -> dict[str, str]:
    """What a trace says of a question, in the words of OpenTelemetry."""
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
    """One configured way to ask a model. Made once per process and alias; used by many threads at once.

    `kind` names the sort of provider, `alias` this one.
    """

    kind: ClassVar[str]
    default_model: str = ""

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        """`options` are the alias's OPTIONS from the settings."""
        self.alias = alias

    @abstractmethod
    def complete(self, request: CompletionRequest) -> Completion:
        """Ask the model and wait for its answer. Raises ProviderError, and nothing else."""

    def stream(self, request: "ChatRequest") -> "Iterator[ChatPart]":
        """Have the model reply in parts, the last of which says how it ended. Raises ProviderError, at any part."""
        raise RequestRefused(f"The provider {self.alias!r} holds no conversations: choose another one.")

    def describe(self) -> dict[str, str]:
        """What an operator may see: alias, kind, model, host ("" for none). Never a key."""
        return {"alias": self.alias, "kind": self.kind, "model": self.default_model, "host": ""}

    def close(self) -> None:  # noqa: B027 - most providers hold nothing
        """Let go of connections. Nothing is asked afterwards."""
