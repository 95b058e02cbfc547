"""The drills' model. What it does is defined once, and converted into the answer that each strategy expects.

Strategies differ in what they can do. `two_call` changes entries by facts, one for each, so changing many begins with
as many facts. `keyed_facts` writes values and never rewrites an entry, so it deletes those that others would change.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

from tests.acceptance.drills.questions import Question

Answer = dict[str, list[dict[str, Any]]]
KEY = "event"  # of the shipped vocabulary: it may have any number of values
NOTHING: dict[str, Answer] = {
    "operations": {"operations": []},
    "extract": {"facts": []},
    "decide": {"decisions": []},
    "score": {"memories": []},
    "classify": {"memories": []},
    "record": {"memories": []},
}


def own_words(text: str) -> str:
    """An entry's text for a message: its own words, and enough others that no two are similar for an embedder."""
    return f"Said: {text} ({hashlib.sha256(text.encode()).hexdigest()})"


def add_each(question: Question) -> Answer:
    """Add one entry per message, which it cites."""
    if question.task == "decide":
        return {"decisions": [{"fact": number, "op": "ADD"} for number in question.facts]}
    found = [_new(question.task, own_words(text), number) for number, text in question.messages.items()]
    return {_list_of(question.task): found}


def change_entries(question: Question, *, facts: int) -> Answer:
    """Rephrase every entry that is shown. `facts`: the most facts that there may be."""
    task = question.task
    if task == "extract":
        texts = list(question.messages.values())
        return {"facts": [_new(task, f"{texts[0]}, once more: {number}", 1) for number in range(facts)]}
    if task == "decide":
        changes = zip(question.facts, question.entries, strict=False)
        decisions = [
            {"fact": fact, "op": "UPDATE", "entry": entry, "content": _other_words(question, entry)}
            for fact, entry in changes
        ]
        rest = list(question.facts)[len(decisions) :]
        return {"decisions": decisions + [{"fact": fact, "op": "NONE"} for fact in rest]}
    if task == "record":
        return delete_entries(question, question.entries)
    changed = [{**_new(task, _other_words(question, entry), 1), "entry": entry} for entry in question.entries]
    if task == "operations":
        changed = [{**change, "op": "update"} for change in changed]
    return {_list_of(task): changed}


def delete_entries(question: Question, entries: Iterable[int]) -> Answer:
    """Delete these entries, shown or not."""
    task = question.task
    if task == "extract":
        return {"facts": [{**_new(task, next(iter(question.messages.values())), 1), "forget": True}]}
    if task == "decide":
        return {
            "decisions": [{"fact": 1, "op": "DELETE", "entry": entry, "content": ""} for entry in entries]
        }
    gone = [{"entry": entry, "messages": [1], "reason": "was told to"} for entry in entries]
    if task == "operations":
        return {"operations": [{"op": "delete", **one} for one in gone]}
    return {"memories": [], "forget": gone}


def _new(task: str, content: str, message: int) -> dict[str, Any]:
    if task == "record":
        return {"type": "event", "key": KEY, "value": content, "confidence": 1, "messages": [message]}
    added = {"type": "goal", "content": content, "messages": [message]}
    by_task: dict[str, dict[str, Any]] = {"operations": {"op": "add"}, "score": {"score": 9}}
    return added | by_task.get(task, {"confidence": 1})


def _list_of(task: str) -> str:
    return {"operations": "operations", "extract": "facts"}.get(task, "memories")


def _other_words(question: Question, entry: int) -> str:
    return f"{question.entries[entry]}, in other words"
