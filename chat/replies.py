"""Makes a reply: asks the model, runs the memory tools that it calls, and passes its text on in parts."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings

from chat.calls import Call
from chat.messages import Message
from chat.tools.definitions import READING, TOOLS, WRITING
from chat.tools.run import Ran
from context.answer import AssembledContext
from providers.errors import EmptyAnswer, ProviderTimeout, ProviderUnavailable, RequestRefused
from providers.llm.base import Completion, ToolSpec
from providers.llm.chat import CallPart, ChatPart, ChatRequest
from providers.llm.registry import get_provider
from relationships.configuration.schema import Configuration
from relationships.models import Relationship
from relationships.services.idempotency import Idempotency
from relationships.services.turns import NewMessage
from web.actor import Actor
from web.deadline import deadline
from web.errors import RapportError
from web.parsing import parse_object

ABOUT_TOOLS = frozenset({"tool_choice", "parallel_tool_calls"})  # servers refuse these options without tools


@dataclass(frozen=True, slots=True)
class Question:
    """What the model is asked. `messages`: for the model; `new`: to be stored with the reply, if `remembered`. `tools`,
    `options`: the client's own, in OpenAI's format. `wait`: seconds to wait for the badge; None: no badge. `turn_id`:
    of the turn that the reply becomes, if the client is told in advance; it may refer to the reply's calls later.
    """

    relationship: Relationship
    configuration: Configuration
    session: str
    messages: Sequence[Message]
    new: Sequence[NewMessage]
    context: AssembledContext
    by: Actor
    now: datetime
    remembered: bool = True
    tools: Sequence[Message] = ()
    options: Message = field(default_factory=dict)
    idempotency: Idempotency | None = None
    wait: float | None = None
    turn_id: UUID | None = None

    @property
    def provider(self) -> str:
        alias: str = self.configuration.context.provider or settings.DEFAULT_LLM_PROVIDER
        return alias


class Reply:
    """The reply so far; iterate over `parts` once. `run` runs a memory tool by name, after those that ran earlier."""

    def __init__(
        self, question: Question, *, run: Callable[[str, dict[str, Any], Sequence[Ran]], Ran]
    ) -> None:
        self.question = question
        self._texts, self._refusals = list[str](), list[str]()
        self.logprobs: dict[str, list[Any]] | None = None  # by OpenAI's names; None: the model told none
        self.calls: list[Call] = []  # of the client's tools
        self.finish = ""  # the finish reason; empty until the end
        self.completions: list[Completion | None] = []  # None: the model failed
        self.ran: list[Ran] = []
        self.began = time.monotonic()
        self._run = run
        configured = question.configuration.chat
        self._ends_at = self.began + configured.max_seconds
        self._length, self._longest = 0, longest_reply(question)  # bytes written by the model, and the most
        self._theirs = {tool.get("function", {}).get("name") for tool in question.tools}
        self._own = [TOOLS[name] for name in _offered(question) if name not in self._theirs]
        self._rounds: int = configured.max_tool_rounds

    @property
    def model(self) -> str:
        return next((asked.model for asked in reversed(self.completions) if asked), "")

    @property
    def text(self) -> str:
        return _joined(self._texts)

    @property
    def refusal(self) -> str:
        return _joined(self._refusals)

    def forget(self) -> None:
        """Leave out what the model has said so far."""
        self._texts, self._refusals, self.calls = [], [], []

    @property
    def milliseconds(self) -> float:
        return (time.monotonic() - self.began) * 1000

    def parts(self) -> Generator[ChatPart, None, None]:
        """Yield the parts for the client. Raises ProviderError, at any part."""
        messages = self._with_tool_prompt()
        for number in range(self._rounds + 1):
            own = self._own if number < self._rounds else []
            said: list[str] = []
            called = yield from self._round(messages, own, said)
            if not called:
                return
            if number == self._rounds and not self.calls:
                raise EmptyAnswer(f"It only called memory tools, for {number} rounds (chat.max_tool_rounds).")
            spoken = {"role": "assistant", "content": "".join(said) or None}
            messages = [*messages, {**spoken, "tool_calls": [call.as_message() for call in called]}]
            messages += [self._answer_call(call) for call in called]
            if self.calls:
                return  # the client has to answer its calls first; it does not see ours
            self.finish = ""

    def _round(
        self, messages: Sequence[Message], own: Sequence[ToolSpec], said: list[str]
    ) -> Generator[ChatPart, None, list[Call]]:
        """Ask the model once. Returns its calls of memory tools, and of unknown tools, which we have to answer as the
        client can't.
        """
        ours: dict[int, Call] = {}
        theirs: dict[int, tuple[int, Call]] = {}  # with the client's number
        with closing(self._ask(messages, own)) as parts:
            while (part := self._next(parts)) is not None:
                passed = tuple(self._sort(piece, ours, theirs) for piece in part.calls)
                passed_on = tuple(piece for piece in passed if piece is not None)
                if part.text or part.refusal or passed_on:
                    text = part.text if said else self._separated(part.text)
                    self._texts.append(text)
                    self._refusals.append(part.refusal)
                    self._collect(part.logprobs)
                    said.append(part.text)
                    yield replace(part, text=text, calls=passed_on)
                if part.completion is not None:
                    self.completions[-1] = part.completion
                    self.finish = part.finish
        self.calls += (call for _, call in theirs.values())
        return list(ours.values())

    def _next(self, parts: Iterator[ChatPart]) -> ChatPart | None:
        """The next part, or None at the end. A server that sends only keep-alives is stopped by the time limit."""
        self._look_at_the_clock()
        try:
            with deadline(self._ends_at - time.monotonic()):
                part = next(parts, None)
        except ProviderTimeout:
            self._look_at_the_clock()
            raise
        if part is not None:
            self._length += _length_of(part)
            if self._length > self._longest:
                raise ProviderUnavailable("The model does not finish.")
        return part

    def _collect(self, logprobs: Message | None) -> None:
        for name, tokens in (logprobs or {}).items():
            if isinstance(tokens, list):
                self.logprobs = self.logprobs or {"content": [], "refusal": []}
                self.logprobs.setdefault(name, []).extend(tokens)

    def _separated(self, text: str) -> str:
        """Separate the first text of a round from the text before the tools were called."""
        runs_on = text and self.text and not (self.text[-1].isspace() or text[0].isspace())
        return f"\n\n{text}" if runs_on else text

    def _sort(
        self, piece: CallPart, ours: dict[int, Call], theirs: dict[int, tuple[int, Call]]
    ) -> CallPart | None:
        """Add a piece to its call; the first piece has the tool's name. Return it for the client if the call is the
        client's, numbered as if there were no others; otherwise None.
        """
        is_theirs = not piece.name or piece.name in self._theirs
        if piece.index in ours or (piece.index not in theirs and not is_theirs):
            ours.setdefault(piece.index, Call()).add(piece)
            return None
        place, call = theirs.setdefault(piece.index, (len(theirs), Call()))
        call.add(piece)
        return CallPart(place, piece.id, piece.name, piece.arguments, piece.extra)

    def _ask(self, messages: Sequence[Message], own: Sequence[ToolSpec]) -> Generator[ChatPart, None, None]:
        """Ask the model. If it refuses tools, ask again without ours; but if the client sent tools, pass
        the error on.
        """
        question = self.question
        provider = get_provider(question.provider)
        tools = [*question.tools, *(tool.in_format("openai") for tool in own)]
        options = question.options if tools else _without_tools(question.options)
        request = ChatRequest(messages, tools, options, question.configuration.chat.model)
        self.completions.append(None)
        began = False
        try:
            for part in provider.stream(request):
                began = True
                yield part
        except RequestRefused as error:
            if began or not own or question.tools or not _about_tools(error):
                raise
            self._own, self._rounds = [], 0
            plain = replace(
                request, messages=question.messages, tools=(), options=_without_tools(question.options)
            )
            yield from provider.stream(plain)

    def _with_tool_prompt(self) -> list[Message]:
        messages = list(self.question.messages)
        if not self._own or not self._rounds:
            return messages
        names = ", ".join(tool.name for tool in self._own)
        told = self.question.configuration.chat.tool_prompt.replace("{tools}", names).strip()
        if messages and messages[0]["role"] == "system":
            return [{**messages[0], "content": f"{messages[0]['content']}\n\n{told}"}, *messages[1:]]
        return [{"role": "system", "content": told}, *messages]

    def _answer_call(self, call: Call) -> Message:
        self._look_at_the_clock()
        if call.name not in {tool.name for tool in self._own}:
            return self._result(call, {"success": False, "error": f"There is no tool {call.name[:60]!r}."})
        try:
            arguments = parse_object((call.arguments or "{}").encode())
        except RapportError as error:
            told = {"success": False, "error": f"The arguments can't be read. {error.detail}"}
            ran = Ran(call.name, {}, told, ok=False)
        else:
            ran = self._run(call.name, arguments, self.ran)
        self.ran.append(ran)
        return self._result(call, ran.answer)

    @staticmethod
    def _result(call: Call, answer: Message) -> Message:
        return {"role": "tool", "tool_call_id": call.id, "content": orjson.dumps(answer).decode()}

    def _look_at_the_clock(self) -> None:
        if time.monotonic() > self._ends_at:
            most = self.question.configuration.chat.max_seconds
            raise ProviderTimeout(f"The reply took longer than {most} s (chat.max_seconds).")


def _joined(parts: list[str]) -> str:
    """The parts as one, which they are from then on."""
    parts[:] = ["".join(parts)]
    return parts[0]


def _about_tools(error: RequestRefused) -> bool:
    """OpenAI writes of tools; Gemini, which refuses them together with a response format, of functions."""
    return any(word in str(error).lower() for word in ("tool", "function"))


def _offered(question: Question) -> Sequence[str]:
    """The memory tools that the model may call: only searches if the exchange must not be kept, and none that write
    while the person has paused.
    """
    tools: Sequence[str] = question.configuration.chat.tools
    if not question.remembered:
        return [name for name in tools if name in READING]
    if question.relationship.user.ingestion_paused:
        return [name for name in tools if name not in WRITING]
    return tools


def longest_reply(question: Question) -> int:
    """The longest reply, in bytes: more than any model writes, but no more than one turn can hold, in pieces of allowed
    length, after the messages that it answers.
    """
    most: int = settings.MAX_MESSAGES_PER_TURN
    left = most - len(question.new) if question.remembered else most
    pieces: int = max(1, min(left, most // 5)) * (settings.MAX_MESSAGE_BYTES - 3)
    return pieces - 64  # less what separates its parts


def _length_of(part: ChatPart) -> int:
    """The bytes that the part takes when it is stored."""
    called = sum(len(f"[calls {piece.name}()]\n{piece.arguments}".encode()) for piece in part.calls)
    return len(part.text.encode()) + len(part.refusal.encode()) + called


def _without_tools(options: Message) -> Message:
    return {name: value for name, value in options.items() if name not in ABOUT_TOOLS}
