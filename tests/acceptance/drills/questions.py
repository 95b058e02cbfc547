"""Parse what a strategy asked, for the drills' model: only from the prompt and the answer's schema."""

import re
from dataclasses import dataclass
from typing import Any

_LINE = re.compile(r"^\[(\d+)\] \(.*?\) (.*)$", re.MULTILINE)
_MESSAGE = re.compile(r"^\[(\d+)\] .*? \(user\): (.*)$", re.MULTILINE)
_ENTRIES = re.compile(r"^Entries .*?:\n(.*?)(?=^New |\Z)", re.MULTILINE | re.DOTALL)
_FACTS = re.compile(r"^New facts:\n(.*?)(?=^New messages|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Question:
    """A strategy's question. `task` as in providers.llm.base; the other fields have the numbered texts, by number."""

    task: str
    entries: dict[int, str]
    facts: dict[int, str]
    messages: dict[int, str]


def question_in(body: dict[str, Any]) -> Question:
    """The question in a request to an OpenAI-compatible server."""
    prompt = body["messages"][1]["content"]
    _, heading, new = prompt.rpartition("New messages")
    return Question(
        task=_task(body),
        entries=_numbered(_LINE, _part(_ENTRIES, prompt)),
        facts=_numbered(_LINE, _part(_FACTS, prompt)),
        messages=_numbered(_MESSAGE, new if heading else ""),
    )


def _task(body: dict[str, Any]) -> str:
    if "tools" in body:
        return "record"
    properties = body["response_format"]["json_schema"]["schema"]["properties"]
    if "memories" not in properties:
        return {"operations": "operations", "facts": "extract", "decisions": "decide"}[next(iter(properties))]
    memory = properties["memories"]["items"]["properties"]
    return "record" if "key" in memory else "score" if "score" in memory else "classify"


def _part(pattern: re.Pattern[str], prompt: str) -> str:
    found = pattern.search(prompt)
    return found[1] if found else ""


def _numbered(pattern: re.Pattern[str], text: str) -> dict[int, str]:
    return {int(number): line for number, line in pattern.findall(text)}
