"""Parse the operations in an answer. Each is judged alone: a bad one is refused with a reason, the others are kept."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.entries.happens import moved_to
from memory.entries.words import names_in_text, tells_whom
from memory.errors import UnparsableAnswer
from memory.ingestion.ingestion_input import IngestionInput, InputMessage
from memory.ingestion.items import (
    NO_OPERATION,
    RefusedItem,
    cited_messages,
    earlier_messages,
    entry_number,
    expiry_in,
    happens_in,
    key_in,
    numbers_of,
    reason_in,
    share_in,
    short,
    shown_number,
    subject_in,
    text_of,
    type_of,
)
from memory.ingestion.unsupported import (
    as_companions_words,
    begins_with_another,
    is_said_by_person,
    known_by_name,
    named_instead,
    other_speaker_of,
    refuse_example,
)
from memory.models import USER_SUBJECT, Tier
from providers.llm.json_text import extract_json_text

MAX_OPERATIONS = 200  # of one answer; more are refused, visibly
MAY_BE_LEFT_OUT = ("operations", "facts", "memories")  # lists that may be missing if they are empty
BESIDE = ("wishes", "forget")  # what an answer may contain besides its list
ADVICE = "agreement"  # the type of what the companion advises or promises, which it alone may have said
# By which models without a schema say that an entry stays as it is.
_NOTHING = frozenset("none noop no_op no-op nothing known keep skip ignore unchanged no_change".split())
# Other names that models without a schema use for the members of an operation.
_ALIASES = {"operation": "op", "action": "op", "message": "messages", "text": "content"}


@dataclass(frozen=True, slots=True)
class Operation:
    """One proposed change, parsed and checked against what was shown. `entry` and `messages` are numbers.

    `op` is add, update, delete, `replace` (what the entry says has ended: it is superseded by a new one with
    `content`), `known` (the entry says it already), `none` (`content` is skipped, visibly, and can be restored) or
    `refused` (nothing is done; `reason` says why). `raw`: what the model wrote.
    `happens_at` is in the format of memory.entries.happens. What is None stays unchanged, unless `cleared` names it.
    `untrue`: for a delete, the entry was never true; otherwise it should be forgotten, or the reason is unknown.
    `messages` may be empty for an update that only condenses entries. `earlier`: numbers of earlier messages that it is
    based on, besides the new ones. `single_valued` None: as the configuration says for the key. `strategy`, `call_id`
    and `model`: who proposed it.
    """

    op: str
    messages: tuple[int, ...]
    raw: Any
    entry: int | None = None
    type: str = ""
    content: str = ""
    subject: str | None = None
    key: str | None = None
    importance: float | None = None
    confidence: float | None = None
    happens_at: str | None = None
    expires_at: datetime | None = None
    cleared: tuple[str, ...] = ()
    untrue: bool = False
    earlier: tuple[int, ...] = ()
    valid_from: datetime | None = None
    single_valued: bool | None = None
    tier: Tier = Tier.SCRATCHPAD
    reason: str = ""
    remarks: tuple[str, ...] = ()
    strategy: str = ""
    call_id: UUID | None = None
    model: str = ""

    def refused(self, reason: str) -> "Operation":
        return Operation("refused", self.messages, self.raw, reason=reason, call_id=self.call_id)


def parse_answer(text: str, name: str = "operations") -> list[Any]:
    """The list `name` in an answer. Raises UnparsableAnswer, saying what is wrong so that a model can correct it."""
    items: list[Any] = parse_object(text, name)[name]
    return items


def parse_object(text: str, name: str) -> dict[str, Any]:
    """Parse an answer with a list `name`. A bare list is accepted for it, a single operation for a list of one, and an
    object without anything for an empty list. Raises UnparsableAnswer.
    """
    try:
        answer = json.loads(extract_json_text(text))
    except (ValueError, RecursionError) as error:
        raise UnparsableAnswer(f"The answer is not JSON: {str(error)[:200]}") from None
    if isinstance(answer, list):
        answer = {name: answer}
    elif isinstance(answer, dict) and "op" in answer:
        answer = {name: [answer]}
    elif isinstance(answer, dict) and answer.get(name) is None and name in MAY_BE_LEFT_OUT:
        answer |= {name: []} if answer.keys() <= {name, *BESIDE} else {}
    if not isinstance(answer, dict) or not isinstance(answer.get(name), list):
        raise UnparsableAnswer(f'The answer is JSON, but not an object with a list "{name}".')
    return answer


def check_operations(raw: list[Any], given: IngestionInput) -> list[Operation]:
    """Parse each raw operation and check it against what was shown, in order."""
    known = known_by_name(given)
    return check_each(raw, given, lambda item: _understand(item, given, known))


def check_each(
    raw: list[Any], given: IngestionInput, understand: Callable[[dict[str, Any]], Operation]
) -> list[Operation]:
    """Parse each item by itself, in order, with `understand`, which raises RefusedItem. An entry is changed only once
    per answer; a further update of it becomes a new entry.
    """
    changed: dict[int, str] = {}  # the new text, by the entry's number
    said: set[str] = set()
    judged: list[Operation] = []
    for place, item in enumerate(raw):
        try:
            if not isinstance(item, dict):
                raise RefusedItem("is not an object")
            if place >= MAX_OPERATIONS:
                raise RefusedItem(f"an answer may hold {MAX_OPERATIONS} operations")
            operation = understand(item)
            if operation.op != "known" and operation.entry in changed:
                twice = f"entry {operation.entry} is changed by an earlier operation of this answer"
                if operation.op != "update" or operation.content == changed[operation.entry]:
                    raise RefusedItem(twice)
                operation = beside(operation, given, twice)
            was_update = operation.op == "add" and item.get("op") in ("update", "replace")
            if was_update and operation.content in said:
                raise RefusedItem("an earlier operation of this answer says it")
            said.add(operation.content)
            if operation.entry is not None and operation.op != "known":
                changed[operation.entry] = operation.content
            judged.append(operation)
        except RefusedItem as refusal:
            judged.append(refused(item, str(refusal), given))
    return judged


def beside(operation: Operation, given: IngestionInput, why: str) -> Operation:
    """Turn an update into the addition of a new entry; the one that it names stays unchanged."""
    assert operation.entry is not None, "an update names an entry"
    entry = given.entries[operation.entry - 1]
    named = entry.subject == USER_SUBJECT or tells_whom(operation.content, entry.subject)
    another = None if named else begins_with_another(operation.content, entry.subject, given)
    date = operation.happens_at or moved_to(entry.happens_at, old=entry.content, new=operation.content)
    return replace(
        operation,
        op="add",
        entry=None,
        happens_at=None if "happens_at" in operation.cleared else date,
        type=operation.type or entry.type,
        subject=operation.subject or another or entry.subject,
        remarks=(*operation.remarks, f"{why}; kept beside it"),
    )


def refused(item: Any, reason: str, given: IngestionInput) -> Operation:
    """The refusal of an item, with the messages it cites."""
    messages = numbers_of(item.get("messages")) if isinstance(item, dict) else None
    cited = tuple(number for number in messages or () if 1 <= number <= len(given.messages))
    return Operation("refused", cited, short(item), reason=reason)


def understand(
    item: dict[str, Any], given: IngestionInput, op: str, *, keyed: bool = False, condenses: bool = False
) -> Operation:
    """Parse an item that adds, updates or deletes an entry. Raises RefusedItem.

    `keyed`: the model may name keys. `condenses`: it need not cite a new message.
    """
    remarks: list[str] = []
    if op in ("update", "replace") and shown_number(item, given.entries) is None:
        op, remarks = "add", ["names no entry that was shown; kept as new"]
    operation = Operation(
        op=op,
        messages=() if condenses and item.get("messages") == [] else cited_messages(item, given),
        earlier=earlier_messages(item, given),
        raw=short(item),
        entry=entry_number(item, given.entries) if op != "add" else None,
        type=type_of(item, given, remarks, changes=op != "add") if op != "delete" else "",
        content=text_of(item, "content") if op != "delete" else "",
        subject=subject_in(item, given),
        key=key_in(item) if keyed else None,
        importance=share_in(item, "importance", remarks),
        happens_at=happens_in(item, given, remarks),
        expires_at=expiry_in(item, given, remarks),
        reason=reason_in(item),
        remarks=tuple(remarks),
    )
    return _on_its_grounds(operation, item, given)


def _on_its_grounds(operation: Operation, item: dict[str, Any], given: IngestionInput) -> Operation:
    """Refuse examples of the prompt, and attribute what only another said to them. Raises RefusedItem."""
    if operation.content:
        refuse_example(operation.content, item, given)
    cited = given.cited(operation.messages, operation.earlier)
    operation = _still_theirs(operation, cited, given)
    if operation.op in ("update", "replace") and operation.entry and not operation.subject:
        whose = given.entries[operation.entry - 1].subject
        operation = replace(operation, subject=named_instead(operation.content, whose, given))
    if operation.op == "delete":
        return operation
    of_person = _about_person(operation, given)
    if of_person and (speaker := other_speaker_of(operation.content, cited, given)) is not None:
        return _as_theirs(operation, speaker, cited, given)
    if operation.op != "add" or operation.type == ADVICE:
        return operation
    other = None if of_person else operation.subject
    if (words := as_companions_words(operation.content, cited, given, about=other)) is None:
        return operation
    remarks = (*operation.remarks, "only the companion said it; kept as its words")
    return replace(operation, content=words, subject=other or given.companion_name, key=None, remarks=remarks)


def _as_theirs(
    operation: Operation, speaker: str, cited: Sequence[InputMessage], given: IngestionInput
) -> Operation:
    """Keep it as the words of another who speaks; beside the person's entry, unless they speak of the person."""
    why = f"only {speaker} said it; kept as their words"
    if operation.op != "add":
        if any(names_in_text(message.content, given.user_name) for message in cited):
            return operation
        operation = beside(operation, given, why)
    else:
        operation = replace(operation, remarks=(*operation.remarks, why))
    return replace(operation, content=f"{speaker}: {operation.content}", subject=speaker, key=None)


def _still_theirs(operation: Operation, cited: Sequence[InputMessage], given: IngestionInput) -> Operation:
    """Keep another's name before the new text of an entry that is kept as their words, as "Leo: ...". What only the
    companion said, and the person says now, is the person's.
    """
    if not operation.content or not operation.entry:
        return operation
    entry = given.entries[operation.entry - 1]
    whose = f"{entry.subject}: "
    moved = operation.subject not in (None, entry.subject)
    if moved or not entry.content.startswith(whose) or names_in_text(operation.content, entry.subject):
        return operation
    if entry.subject == given.companion_name and is_said_by_person(operation.content, cited):
        return replace(operation, subject=USER_SUBJECT)
    return replace(operation, content=whose + operation.content)


def _about_person(operation: Operation, given: IngestionInput) -> bool:
    entry = given.entries[operation.entry - 1].subject if operation.entry else USER_SUBJECT
    return (operation.subject or entry) == USER_SUBJECT


def _understand(item: dict[str, Any], given: IngestionInput, known: Callable[[str], int | None]) -> Operation:
    item = {_ALIASES.get(name, name) if _ALIASES.get(name) not in item else name: item[name] for name in item}
    op = str(item.get("op") or "").strip().lower()
    if op in _NOTHING:
        raise RefusedItem(f"op is {op!r}: there is nothing to do")
    if op not in ("add", "update", "replace", "delete"):
        raise RefusedItem(f"op is {item.get('op')!r:.40}; {NO_OPERATION}")
    cleared = tuple(name for name in ("happens_at", "expires_at") if name in item and item[name] is None)
    untrue = op == "delete" and item.get("untrue") is True
    condenses = op == "update" and given.nears_budget
    understood = understand(item, given, op, keyed=True, condenses=condenses)
    operation = replace(understood, cleared=cleared, untrue=untrue)
    added = operation.op == "add" and _about_person(operation, given)
    if added and (number := known(operation.content)) is not None:
        return replace(operation, op="known", entry=number, content="", type="")
    return operation
