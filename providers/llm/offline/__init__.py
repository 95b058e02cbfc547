"""Rules instead of a language model: for trying, testing and measuring without a key.

rules.toml    the rules as data: words, patterns, and the table of statements and how they are stored
wording.py    reads that file; turns "I love my garden" into "Loves their garden"; names and relations
clauses.py    splits a message into clauses in a plain form
dates.py      resolves dates such as "next Friday"
facts.py      finds the fact in a clause, or in a stored statement, by the table
lines.py      the lines of the list: which one a new fact repeats, replaces or refines
reader.py     the state of a reading, and who a clause is about
keeping.py    kinds of facts that take more than writing them down
changes.py    corrections, names, goals that were reached, dates that moved
reading.py    reads the messages, including requests to forget
answers.py    answers each strategy's question
recording.py  the answer under the keys of a vocabulary
extract.py    summarises by quoting sentences
agent.py      the steps of an agent's session, by a script
"""

import json
import re
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
    """Answers ingestion's questions from their prompt_data, in the same JSON as a model. Replies to a conversation by
    quoting what a model would know. Refuses anything else.
    """

    kind: ClassVar[str] = "offline"
    default_model = "rules-1"

    def complete(self, request: CompletionRequest) -> Completion:
        """Answer by rules. Raises RequestRefused for a request without prompt_data."""
        if request.prompt_data is None:
            raise RequestRefused(
                "The offline provider answers by rules, for remembering only. For all else, set GEMINI_API_KEY, "
                "OPENAI_API_KEY or OPENAI_BASE_URL; if one is set, name gemini or openai as the `provider`."
            )
        data = request.prompt_data
        with tracing.calling(f"chat {self.default_model}", traced_as(self, self.default_model)):
            if (agent := data.agent) is None:
                found = ANSWERS[data.task](data)
            else:
                found = next_step(agent) if agent.question == "agent" else curate(agent)
        text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
        return self._completion(text, len(request.system) + len(request.prompt), len(text))

    def stream(self, request: ChatRequest) -> Iterator[ChatPart]:
        text = reply_of(request.messages)
        for word in _WORD.findall(text):
            yield ChatPart(text=word)
        asked = sum(len(str(message.get("content") or "")) for message in request.messages)
        yield ChatPart(finish="stop", completion=self._completion("", asked, len(text)))

    def _completion(self, text: str, asked: int, answered: int) -> Completion:
        """Make the completion. `asked`, `answered`: numbers of characters."""
        return Completion(
            text=text,
            provider=self.alias,
            model=self.default_model,
            prompt_tokens=_tokens(asked),
            output_tokens=_tokens(answered),
            cached_tokens=0,
            cost=Decimal(0),
        )


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)


MARK = "[No model is set up, so this reply is not from a model.]"
LINES = 8  # of memory that are quoted
_WORD = re.compile(r"\s*\S+|\s+")  # the pieces that are streamed; joined they are the text


def reply_of(messages: Sequence[Mapping[str, Any]]) -> str:
    """Quote the list items of the system messages, inside the same fence. Without it the reply, stored as the
    companion's words, would be found and quoted again.
    """
    told = "\n".join(str(message.get("content") or "") for message in messages if message["role"] == "system")
    known = [line.removeprefix("- ") for line in told.splitlines() if line.startswith("- ")]
    if not known:
        return f"{MARK} Nothing is remembered yet; tell me something about yourself."
    lines = "\n".join(f"- {line}" for line in known[:LINES])
    more = f"\n... and {len(known) - LINES} more" if len(known) > LINES else ""
    return f"{MARK} What a model would know now:\n<rapport_memory>\n{lines}{more}\n</rapport_memory>"
