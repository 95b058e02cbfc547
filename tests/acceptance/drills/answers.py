"""The drills' model: what it does is said once, and put into the answer that each strategy asks for.

What can be done differs. `two_call` acts on entries through facts, one each, so a change of many begins with as many
facts. `keyed_facts` writes values and never rewrites an entry, so where another strategy changes one, it strikes it out.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

from tests.acceptance.drills.questions import Question

Answer = dict[str, list[dict[str, Any]]]
KEY = "event"  # of the vocabulary that ships: any number of values, each kept in its own words
NOTHING: dict[str, Answer] = {
    "operations": {"operations": []},
    "extract": {"facts": []},
    "decide": {"decisions": []},
    "score": {"memories": []},
    "classify": {"memories": []},
    "record": {"memories": []},
}


def own_words(text: str) -> str:
    """An entry's text for a message: its own words, and so many others that no two are alike to an embedder."""
    return f"Said: {text} ({hashlib.sha256(text.encode()).hexdigest()})"


def add_each(question: Question) -> Answer:
    """One new entry a message, resting on it."""
    if question.task == "decide":
        return {"decisions": [{"fact": number, "op": "ADD"} for number in question.facts]}
    found = [_new(question.task, own_words(text), number) for number, text in question.messages.items()]
    return {_list_of(question.task): found}


def change_entries(question: Question, *, facts: int) -> Answer:
    """Other words for every entry that is shown. `facts`: how many there may be."""
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
    """Strike these entries out, shown or not."""
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
