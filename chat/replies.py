"""A reply under way: the model is asked, memory tools that it calls are run, and its words are passed on in parts."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import orjson
from django.conf import settings

from chat.messages import Message
from chat.tools.definitions import TOOLS, Tool, for_openai
from chat.tools.run import Ran
from context.answer import AssembledContext
from memory.ingestion.intake import Idempotency
from providers.errors import EmptyAnswer, ProviderTimeout, ProviderUnavailable, RequestRefused
from providers.llm.base import Completion
from providers.llm.chat import CallPart, ChatPart, ChatRequest
from providers.llm.registry import get_provider
from relationships.configuration.schema import Configuration
from relationships.models import Relationship
from relationships.services.turns import NewMessage
from web.actor import Actor
from web.deadline import deadline
from web.errors import RapportError
from web.parsing import parse_object

ABOUT_TOOLS = frozenset({"tool_choice", "parallel_tool_calls"})  # servers refuse them without tools


@dataclass(frozen=True, slots=True)
class Question:
    """What a reply is to. `messages`: as the model is sent them; `new`: to be remembered with the reply, where
    `remembered`. `tools`, `options`: the client's own, in OpenAI's words. `wait`: seconds for the badge; None: none.
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

    @property
    def provider(self) -> str:
        alias: str = self.configuration.context.provider or settings.DEFAULT_LLM_PROVIDER
        return alias


@dataclass(slots=True)
class Call:
    """A call of a tool, put together from its parts."""

    id: str = ""
    name: str = ""
    arguments: str = ""
    extra: Any = None

    def add(self, part: CallPart) -> None:
        self.id = self.id or part.id
        self.name = self.name or part.name
        self.arguments += part.arguments
        self.extra = self.extra or part.extra

    def as_message(self) -> dict[str, Any]:
        function = {"name": self.name, "arguments": self.arguments}
        extra = {"extra_content": self.extra} if self.extra else {}
        return {"id": self.id, "type": "function", "function": function, **extra}


class Reply:
    """What is said so far; iterate over `parts` once. `run` runs a memory tool by its name."""

    def __init__(self, question: Question, *, run: Callable[[str, dict[str, Any]], Ran]) -> None:
        self.question = question
        self.text = ""
        self.calls: list[Call] = []  # of the client's tools
        self.finish = ""  # how it ended; empty while it has not
        self.completions: list[Completion | None] = []  # None: asked in vain
        self.ran: list[Ran] = []
        self.began = time.monotonic()
        self._run = run
        configured = question.configuration.chat
        self._ends_at = self.began + configured.max_seconds
        self._length = 0  # characters that the model has written
        self._theirs = {tool.get("function", {}).get("name") for tool in question.tools}
        self._own = [TOOLS[name] for name in configured.tools if name not in self._theirs]
        self._rounds: int = configured.max_tool_rounds

    @property
    def model(self) -> str:
        return next((asked.model for asked in reversed(self.completions) if asked), "")

    @property
    def milliseconds(self) -> float:
        return (time.monotonic() - self.began) * 1000

    def parts(self) -> Generator[ChatPart, None, None]:
        """What the client is to be told. Raises ProviderError, at any part."""
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
            messages += [self._answered(call) for call in called]
            if self.calls:
                return  # the client has to answer first, and knows nothing of ours
            self.finish = ""

    def _round(
        self, messages: Sequence[Message], own: Sequence[Tool], said: list[str]
    ) -> Generator[ChatPart, None, list[Call]]:
        """One question to the model. Returns its calls of memory tools, and of those that nobody has offered: the model
        is to be told, and no client could answer.
        """
        ours: dict[int, Call] = {}
        theirs: dict[int, Call] = {}
        with closing(self._asked(messages, own)) as parts:
            while (part := self._next(parts)) is not None:
                passed = tuple(self._sort(piece, ours, theirs) for piece in part.calls)
                passed_on = tuple(piece for piece in passed if piece is not None)
                if part.text or passed_on:
                    text = part.text if said else self._apart(part.text)
                    self.text += text
                    said.append(part.text)
                    yield ChatPart(text=text, calls=passed_on)
                if part.completion is not None:
                    self.completions[-1] = part.completion
                    self.finish = part.finish
        self.calls += theirs.values()
        return list(ours.values())

    def _next(self, parts: Iterator[ChatPart]) -> ChatPart | None:
        """None: there are no more. A server that only says that it lives gives no part, and ends with the clock."""
        self._look_at_the_clock()
        try:
            with deadline(self._ends_at - time.monotonic()):
                part = next(parts, None)
        except ProviderTimeout:
            self._look_at_the_clock()
            raise
        if part is not None:
            self._length += len(part.text) + sum(len(piece.arguments) for piece in part.calls)
            if self._length > longest_reply():
                raise ProviderUnavailable("The model does not come to an end.")
        return part

    def _apart(self, text: str) -> str:
        """The first words of a round, apart from what was said before the tools were called."""
        runs_on = text and self.text and not (self.text[-1].isspace() or text[0].isspace())
        return f"\n\n{text}" if runs_on else text

    def _sort(self, piece: CallPart, ours: dict[int, Call], theirs: dict[int, Call]) -> CallPart | None:
        """Whose call it is shows in its first piece. The client's are numbered as if there were no others."""
        is_theirs = not piece.name or piece.name in self._theirs
        if piece.index in ours or (piece.index not in theirs and not is_theirs):
            ours.setdefault(piece.index, Call()).add(piece)
            return None
        theirs.setdefault(piece.index, Call()).add(piece)
        place = list(theirs).index(piece.index)
        return CallPart(place, piece.id, piece.name, piece.arguments, piece.extra)

    def _asked(self, messages: Sequence[Message], own: Sequence[Tool]) -> Generator[ChatPart, None, None]:
        """A model that takes no tools is asked without ours; with the client's it is the client's to hear."""
        question = self.question
        provider = get_provider(question.provider)
        tools = [*question.tools, *map(for_openai, own)]
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

    def _answered(self, call: Call) -> Message:
        self._look_at_the_clock()
        if call.name not in {tool.name for tool in self._own}:
            return self._result(call, {"success": False, "error": f"There is no tool {call.name[:60]!r}."})
        try:
            arguments = parse_object((call.arguments or "{}").encode())
        except RapportError as error:
            told = {"success": False, "error": f"The arguments can't be read. {error.detail}"}
            ran = Ran(call.name, {}, told, ok=False)
        else:
            ran = self._run(call.name, arguments)
        self.ran.append(ran)
        return self._result(call, ran.answer)

    @staticmethod
    def _result(call: Call, answer: Message) -> Message:
        return {"role": "tool", "tool_call_id": call.id, "content": orjson.dumps(answer).decode()}

    def _look_at_the_clock(self) -> None:
        if time.monotonic() > self._ends_at:
            most = self.question.configuration.chat.max_seconds
            raise ProviderTimeout(f"The reply took longer than {most} s (chat.max_seconds).")


def _about_tools(error: RequestRefused) -> bool:
    """OpenAI's word, and Gemini's, which takes none beside a form of the answer."""
    return any(word in str(error).lower() for word in ("tool", "function"))


def longest_reply() -> int:
    """In characters, beyond what any model writes at once: so much can be kept, in pieces as long as messages may be,
    beside what the person said.
    """
    pieces: int = settings.MAX_MESSAGES_PER_TURN * 3 // 4
    return pieces * settings.MAX_MESSAGE_BYTES // 4


def _without_tools(options: Message) -> Message:
    return {name: value for name, value in options.items() if name not in ABOUT_TOOLS}
