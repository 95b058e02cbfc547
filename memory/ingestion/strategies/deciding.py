"""Parse the decisions of the second call: each becomes an operation that cites the messages of its fact."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memory.ingestion.ingestion_input import IngestionInput, ShownEntry
from memory.ingestion.items import (
    Item,
    RefusedItem,
    entry_number,
    number_of,
    reason_in,
    short,
    shown_number,
    text_of,
)
from memory.ingestion.operations import MAX_OPERATIONS, Operation, refused
from memory.models import USER_SUBJECT
from providers.llm.base import NumberedFact


def forgets(fact: Operation) -> bool:
    """Return whether a fact of the first call is a wish to forget."""
    return fact.raw.get("forget") is True


def numbered(fact: Operation, number: int) -> NumberedFact:
    return NumberedFact(
        number=number,
        content=fact.content,
        type=fact.type,
        subject=fact.subject or USER_SUBJECT,
        forget=forgets(fact),
        messages=fact.messages,
        happens_at=fact.happens_at,
    )


def decide_on(facts: Sequence[Operation], decisions: Sequence[Any], given: IngestionInput) -> list[Operation]:
    """Make the operations, in order of the facts (the operations that add them). The first decision counts; without one
    a fact is refused, visibly.

    A fact may end several entries ("forget all about my job"), so further decisions on it may delete, but nothing else.
    """
    made: dict[int, Item] = {}
    ended: list[tuple[int, Item]] = []
    strays: list[Operation] = []
    for place, item in enumerate(decisions):
        number = number_of(item.get("fact")) if isinstance(item, dict) else None
        if place >= MAX_OPERATIONS:
            strays.append(refused(item, f"an answer may hold {MAX_OPERATIONS} decisions", given))
        elif number is None or not 1 <= number <= len(facts):
            strays.append(refused(item, "decides on a fact that was not given", given))
        elif number in made and _only_ends(item):
            ended.append((number, item))
        elif number in made:
            again = replace(facts[number - 1], raw=short(item))
            strays.append(again.refused(f"fact {number} is decided on before"))
        else:
            made[number] = item
    changed: set[int] = set()
    decided = [_decided(fact, made.get(n), changed, given) for n, fact in enumerate(facts, start=1)]
    decided += [_decided(facts[number - 1], item, changed, given) for number, item in ended]
    return [*decided, *strays]


def rest_on_all(items: Sequence[Operation]) -> list[Operation]:
    """Let a text that contains several facts cite the messages of all of them: if a fact is known by an entry that
    another decision rewrites, it is part of the new text."""
    known: dict[int | None, list[int]] = {}
    for item in items:
        if item.op == "known":
            known.setdefault(item.entry, []).extend(item.messages)

    def resting(item: Operation) -> Operation:
        if item.op not in ("update", "replace"):
            return item
        return replace(item, messages=tuple(sorted({*item.messages, *known.get(item.entry, ())})))

    return [resting(item) for item in items]


def _only_ends(item: Item) -> bool:
    return str(item.get("op")).strip().upper() == "DELETE" and item.get("content") == ""


def _decided(fact: Operation, decision: Item | None, changed: set[int], given: IngestionInput) -> Operation:
    if decision is None:
        return fact.refused("nothing was decided about it")
    raw = {**fact.raw, **short(dict(decision)), "messages": list(fact.messages)}
    try:
        operation = _operation(fact, decision, changed, given)
    except RefusedItem as refusal:
        return replace(fact, raw=raw).refused(str(refusal))
    if operation.entry is not None and operation.op != "known":
        changed.add(operation.entry)
    kept = {"op": operation.op, "content": operation.content}
    return replace(operation, raw={**raw, **kept})


def _operation(fact: Operation, decision: Item, changed: set[int], given: IngestionInput) -> Operation:
    op = str(decision.get("op")).strip().upper()
    if op not in ("ADD", "UPDATE", "DELETE", "NONE"):
        raise RefusedItem(f"op is {decision.get('op')!r:.40}; known: ADD, UPDATE, DELETE, NONE")
    if op == "ADD":
        if forgets(fact):
            raise RefusedItem("is a wish to forget, which is no entry itself")
        return replace(fact, content=_text(fact, decision) or fact.content)
    if op == "NONE" and forgets(fact):
        raise RefusedItem("nothing like it is remembered")
    reason = reason_in(decision)
    if op == "NONE":  # the entry says it already, even if that may not be changed
        if (known := shown_number(decision, given.entries)) is None:
            raise RefusedItem("was decided to be known, by no entry that was shown")
        return replace(fact, op="known", entry=known, content="", reason=reason)
    number = entry_number(decision, given.entries)
    if number in changed:
        return _beside(fact, number)
    content = _text(fact, decision)
    if op == "DELETE":
        op = "REPLACE" if content else "DELETE"
    elif not content:
        raise RefusedItem("content is empty")
    change = replace(fact, op=op.lower(), entry=number, content=content, reason=reason)
    return change if op != "UPDATE" else _more_of(given.entries[number - 1], change)


def _more_of(entry: ShownEntry, change: Operation) -> Operation:
    """An update that adds to an entry: type and subject stay. A detail makes it neither less important nor expire."""
    matters = None if change.importance is None else max(change.importance, entry.importance)
    expires_at = change.expires_at if entry.expires_at else None
    return replace(change, type="", subject=None, importance=matters, expires_at=expires_at)


def _beside(fact: Operation, number: int) -> Operation:
    """Add the fact as a new entry, as an answer may change an entry only once."""
    if forgets(fact):
        raise RefusedItem(f"entry {number} is changed by an earlier decision of this answer")
    remark = f"entry {number} is changed by an earlier decision; kept as new"
    return replace(fact, remarks=(*fact.remarks, remark))


def _text(fact: Operation, decision: Item) -> str:
    """The decision's text, or the fact's if it has none; "" if there should be none."""
    if forgets(fact) and not decision.get("content"):
        return ""
    if decision.get("content") is None:
        return fact.content
    return "" if decision["content"] == "" else text_of(decision, "content")
