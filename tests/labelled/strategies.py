"""The operations that a strategy makes from the offline provider's answers, to compare them with labels."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from providers.llm.base import (
    CompletionRequest,
    KnownKey,
    NumberedEntry,
    NumberedFact,
    NumberedMessage,
    PromptData,
    Task,
)
from tests.labelled.scratchpad import PROVIDER, TYPES

Answer = dict[str, list[dict[str, Any]]]


def ask(
    task: Task,
    said: str,
    known: Sequence[NumberedEntry] = (),
    *,
    at: datetime,
    timezone: str = "Europe/Lisbon",
    facts: Sequence[NumberedFact] = (),
    keys: Sequence[KnownKey] = (),
    earlier: Sequence[str] = (),
) -> Answer:
    """The answer to one question about one message of a person with these known entries."""
    prompt_data = PromptData(
        entries=tuple(known),
        messages=(NumberedMessage(1, "user", "Maya", said, at),),
        timezone=timezone,
        types=TYPES,
        user_name="Maya",
        task=task,
        facts=tuple(facts),
        keys=tuple(keys),
        earlier=tuple(earlier),
    )
    answer: Answer = json.loads(PROVIDER.complete(CompletionRequest("", "", None, prompt_data)).text)
    return answer


def numbered(facts: Sequence[dict[str, Any]]) -> list[NumberedFact]:
    """The facts of call 1 as shown in call 2."""
    return [
        NumberedFact(
            number=number,
            content=fact["content"],
            type=fact["type"],
            subject=fact.get("subject", "user"),
            forget=fact.get("forget", False),
            messages=tuple(fact["messages"]),
        )
        for number, fact in enumerate(facts, start=1)
    ]


def by_two_calls(said: str, known: Sequence[NumberedEntry], *, at: datetime) -> list[dict[str, Any]]:
    """Extract, then decide. A contradiction is a delete and an add."""
    facts = ask("extract", said, at=at)["facts"]
    if not facts:
        return []
    operations = []
    for decision in ask("decide", said, known, at=at, facts=numbered(facts))["decisions"]:
        fact = facts[decision["fact"] - 1]
        content = decision.get("content", fact["content"])
        addition = {**fact, "op": "add", "content": content}
        if decision["op"] == "UPDATE":
            operations.append({**addition, "op": "update", "entry": decision["entry"]})
        if decision["op"] == "DELETE":
            operations.append({"op": "delete", "entry": decision["entry"]})
        if decision["op"] == "ADD" or (decision["op"] == "DELETE" and content and not fact.get("forget")):
            operations.append(addition)
    return operations


def by_one_call(
    task: Task, said: str, known: Sequence[NumberedEntry], *, at: datetime
) -> list[dict[str, Any]]:
    """Score or classify. An item that names an entry is an update of it."""
    answer = ask(task, said, known, at=at)
    changes = [{**memory, "op": "update" if "entry" in memory else "add"} for memory in answer["memories"]]
    return changes + [{**gone, "op": "delete"} for gone in answer["forget"]]
