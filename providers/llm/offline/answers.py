"""Answers the questions of ingestion strategies. All answers come from the same reading of the messages."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from providers.llm.base import NumberedFact, PromptData, Task
from providers.llm.offline.extract import extract_summary
from providers.llm.offline.lines import Line
from providers.llm.offline.reader import Reader
from providers.llm.offline.reading import read_messages, read_prompt_data
from providers.llm.offline.recording import record_memories
from providers.llm.offline.wording import folded, overlap, words

TO_BE_PLACED = 0.6  # confidence of a change without a known entry to change
_COMMITMENT = 9  # of 10: what is to happen on a day to come
_CHANGE = 6  # at least: what was worth keeping must not stay as it was


def extract_facts(prompt_data: PromptData) -> dict[str, Any]:
    """The facts of the messages, without the entries.

    A change without anything to change ("No, I meant Thursday") is passed on as a wish to forget, so that it is never
    stored.
    """
    reader = read_prompt_data(replace(prompt_data, entries=()))
    facts = [
        _memory(line, reader) | {"confidence": line.confidence, "importance": line.importance}
        for line in reader.changed_lines()
    ]
    for said, message in reader.unplaced:
        facts.append(
            {
                "content": f"{said.text}, not {said.instead_of}" if said.instead_of else said.text,
                "type": reader.type_or_other("other"),
                "confidence": 1.0 if said.forgets else TO_BE_PLACED,
                "forget": True,
                "messages": [message],
            }
        )
    return {"facts": facts}


def decide_facts(prompt_data: PromptData) -> dict[str, Any]:
    """Decide each fact by the entries: a contradiction replaces an entry, additional details are merged.

    The messages are read again with the entries, and each change is assigned to the fact that says it.
    """
    reader = read_prompt_data(prompt_data)
    owned: dict[int, list[Line]] = {fact.number: [] for fact in prompt_data.facts}
    for line in reader.changed_lines():
        if fact := _fact_of(line, prompt_data.facts):
            owned[fact.number].append(line)
    decisions = []
    for fact in prompt_data.facts:
        made = [decision for line in owned[fact.number] if (decision := _decision(line, fact)) is not None]
        # A fact's first decision says what it is, the others what it ends.
        made.sort(key=lambda decision: decision["op"] == "DELETE" and not decision["content"])
        decisions += made or [_unowned(fact, reader)]
    return {"decisions": decisions}


def _unowned(fact: NumberedFact, reader: Reader) -> dict[str, Any]:
    """The decision on a fact that changed nothing: it repeats an entry, asks to forget what is unknown, or is new."""
    known = [line for message, line in reader.repeats if message in fact.messages]
    line = max(known, key=lambda line: overlap(words(fact.content), line.words), default=None)
    if fact.forget or line is not None:
        entry = {"entry": line.number} if line is not None and line.number and not fact.forget else {}
        return {"fact": fact.number, "op": "NONE", **entry, "reason": "nothing new"}
    return {"fact": fact.number, "op": "ADD", "content": fact.content}


def _score(line: Line, reader: Reader) -> int:
    """The importance of a line, from 1 to 10."""
    ahead = line.happens_at and line.happens_at[:10] >= reader.today.isoformat()
    if ahead and line.type in ("event", "goal"):
        return _COMMITMENT
    return max(int(line.importance * 10 + 0.5), _CHANGE if line.outcome == "update" else 1)


def _memories(prompt_data: PromptData, judged: Callable[[Line, Reader], dict[str, Any]]) -> dict[str, Any]:
    reader = read_prompt_data(prompt_data)
    lines = reader.changed_lines()
    kept = []
    for line in lines:
        if line.outcome != "delete":
            entry = {} if line.number is None else {"entry": line.number}
            kept.append(_memory(line, reader) | entry | judged(line, reader))
    forgotten = [line.as_forgotten() for line in lines if line.outcome == "delete"]
    return {"memories": kept, "forget": forgotten}


def _memory(line: Line, reader: Reader) -> dict[str, Any]:
    type = reader.type_or_other(line.type)
    memory = {"content": line.content, "type": type, "subject": line.subject, "messages": line.messages}
    return {**memory, "happens_at": line.happens_at} if line.happens_at else memory


def _fact_of(line: Line, facts: Sequence[NumberedFact]) -> NumberedFact | None:
    """The fact from the line's messages that shares most words with it. A wish to forget may share none."""
    told = line.words | words(line.before)
    shares = {
        fact.number: overlap(words(fact.content), told) or 0.01 * (fact.forget and line.outcome != "add")
        for fact in facts
        if set(fact.messages) & set(line.messages) and not (fact.forget and line.outcome == "add")
    }
    best = max(facts, key=lambda fact: shares.get(fact.number, 0.0), default=None)
    return best if best and shares.get(best.number) else None


def _decision(line: Line, fact: NumberedFact) -> dict[str, Any] | None:
    """The change of a line as a decision of its fact."""
    if line.outcome == "add":
        return None if fact.forget else {"fact": fact.number, "op": "ADD", "content": line.content}
    decision = {"fact": fact.number, "entry": line.number}
    if line.outcome == "delete":
        return {**decision, "op": "DELETE", "content": "", "reason": line.reason}
    merges = words(line.before) < line.words or folded(line.before) in folded(line.content)
    if folded(fact.content) == folded(line.content) and not merges:
        return {**decision, "op": "DELETE", "content": line.content, "reason": "contradicted"}
    return {**decision, "op": "UPDATE", "content": line.content, "reason": "says it anew"}


ANSWERS: dict[Task, Callable[[PromptData], dict[str, Any] | str]] = {
    "operations": lambda prompt_data: {"operations": read_messages(prompt_data)},
    "extract": extract_facts,
    "decide": decide_facts,
    "score": lambda prompt_data: _memories(prompt_data, lambda line, reader: {"score": _score(line, reader)}),
    "classify": lambda prompt_data: _memories(prompt_data, lambda line, _: {"confidence": line.confidence}),
    "record": record_memories,
    "summarise": extract_summary,
}
