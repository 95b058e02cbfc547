"""Rules in the place of a language model: for trying, testing and measuring without a key.

rules.toml    the rules as data: words, patterns, the table of what a clause may say and how it is kept
patterns.py   reads that file
clauses.py    from a message to the person's own plain speech, and on to clauses, freed of manner
dates.py      "next Friday" as a day
wording.py    "I love my garden" as "Loves their garden"; names and relations
facts.py      from a clause, or from a kept statement, to a fact, by the table
notebook.py   the list: which line a fact repeats, replaces or refines
reader.py     what a rule has at hand, and whom a clause is about
keeping.py    what keeping a fact takes beside writing it down
changes.py    corrections, goals that were reached, dates that moved
reading.py    one pass over the messages, with what is asked to be forgotten
answers.py    the answer to each strategy's question
extract.py    sentences that stand for a conversation
agent.py      the steps of an agent's session, by a script
"""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar

from config import tracing
from providers.errors import RequestRefused
from providers.llm.base import Completion, CompletionRequest, LLMProvider, traced_as
from providers.llm.chat import ChatPart, ChatRequest
from providers.llm.offline.agent import curate, next_step
from providers.llm.offline.answers import ANSWERS

__all__ = ["OfflineProvider"]


CHARACTERS_PER_TOKEN = 4


class OfflineProvider(LLMProvider):
    """Answers ingestion's questions from their prompt_data, in the same JSON as every model, and a conversation with
    what a model would have been told; refuses all else.
    """

    kind: ClassVar[str] = "offline"
    default_model = "rules-1"

    def complete(self, request: CompletionRequest) -> Completion:
        """What the rules find. Raises RequestRefused for anything but ingestion."""
        if request.prompt_data is None:
            raise RequestRefused(
                "The offline provider answers by rules, for remembering only. For all else, set GEMINI_API_KEY, "
                "OPENAI_API_KEY or OPENAI_BASE_URL."
            )
        started = time.perf_counter()
        data = request.prompt_data
        with tracing.calling(f"chat {self.default_model}", traced_as(self, self.default_model)):
            if data.agent is None:
                found = ANSWERS[data.task](data)
            else:
                found = next_step(data) if data.task == "agent" else curate(data)
        text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
        return self._completion(text, len(request.system) + len(request.prompt), len(text), started)

    def stream(self, request: ChatRequest) -> Iterator[ChatPart]:
        started = time.perf_counter()
        text = reply_of(request.messages)
        for word in _WORD.findall(text):
            yield ChatPart(text=word)
        asked = sum(len(str(message.get("content") or "")) for message in request.messages)
        yield ChatPart(finish="stop", completion=self._completion("", asked, len(text), started))

    def _completion(self, text: str, asked: int, answered: int, started: float) -> Completion:
        """`asked`, `answered`: characters."""
        return Completion(
            text=text,
            provider=self.alias,
            model=self.default_model,
            prompt_tokens=_tokens(asked),
            output_tokens=_tokens(answered),
            cached_tokens=0,
            milliseconds=(time.perf_counter() - started) * 1000,
            cost=Decimal(0),
            finish_reason="stop",
        )


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)


MARK = "[No model is set up, so this is no reply of one.]"
LINES = 8  # of what is remembered that are quoted
_WORD = re.compile(r"\s*\S+|\s+")  # a piece as models stream them; joined they are the text


def reply_of(messages: Sequence[Mapping[str, Any]]) -> str:
    """Quotes the items of the lists in the system's messages, fenced as they stand there: else the quotation, kept as
    what the companion said, would be found again and quoted by the next.
    """
    told = "\n".join(str(message.get("content") or "") for message in messages if message["role"] == "system")
    known = [line.removeprefix("- ") for line in told.splitlines() if line.startswith("- ")]
    if not known:
        return f"{MARK} Nothing is remembered yet; tell me something about yourself."
    lines = "\n".join(f"- {line}" for line in known[:LINES])
    more = f"\n... and {len(known) - LINES} more" if len(known) > LINES else ""
    return f"{MARK} What a model would know now:\n<rapport_memory>\n{lines}{more}\n</rapport_memory>"
