"""The row that is stored for each operation, with its outcome."""

import re
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from memory.entries.fingerprint import content_hash
from memory.entries.limits import MAX_REASON, operation_fault
from memory.ingestion.ingestion_input import IngestionInput, ShownEntry
from memory.ingestion.operations import Operation
from memory.models import OperationKind, OperationResult, Verdict
from relationships.models import Turn

_NAMED_OPS = [
    kind.value for kind in OperationKind if kind not in (OperationKind.OTHER, OperationKind.UNREADABLE)
]
_DIGITS = re.compile(r"\d{1,9}")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def result_of(
    item: Operation,
    verdict: Verdict,
    reason: str,
    *,
    entry_id: UUID | None,
    turn: Turn,
    number: int,
    given: IngestionInput,
    shown: Sequence[ShownEntry],
) -> OperationResult:
    """Make the row, without saving it. `shown`: the entries in the call that proposed it, in order of their numbers."""
    said = "; ".join(part for part in (reason, *item.remarks) if part)[:MAX_REASON]
    operation = _kept(item)
    named = [] if entry_id is None else [entry_id]
    if item.entry is not None:
        named.append(given.entries[item.entry - 1].id)
    named += [entry.id for entry in at_numbers(shown, operation, "entry")]
    cited = given.cited(item.messages)
    cited += at_numbers(given.messages, operation, "messages")
    cited += at_numbers(given.references, operation, "messages", above=given.earlier_above)
    return OperationResult(
        relationship_id=given.relationship_id,
        project_id=given.project_id,
        turn_id=turn.id,
        number=number,
        operation=operation,
        verdict=verdict,
        reason=said,
        entry_id=entry_id,
        call_id=item.call_id,
        entry_ids=list(dict.fromkeys([*named, *mentioned_in(said)])),
        message_ids=list(dict.fromkeys(message.id for message in cited)),
        **searched_columns(operation, said),
    )


def searched_columns(operation: Any, *texts: str) -> dict[str, Any]:
    """The columns by which erasure finds an operation that quotes or says exactly what should be erased."""
    content = operation.get("content") if isinstance(operation, dict) else None
    return {
        "kind": _kind(operation),
        "text": "\n".join(_texts([operation, *texts])).casefold(),
        "content_hash": content_hash(content) if isinstance(content, str) else None,
    }


def emptied(operation: Any) -> dict[str, Any]:
    """The operation without texts: only what was done to which number."""
    raw = operation if isinstance(operation, dict) else {}
    kept: dict[str, Any] = {"erased": True, "messages": sorted(numbers_in(raw.get("messages")))}
    if raw.get("op") in _NAMED_OPS:
        kept["op"] = raw["op"]
    if raw.get("entry") is not None:
        kept["entry"] = min(numbers_in(raw["entry"]), default=None)
    return kept


def numbers_in(value: Any) -> frozenset[int]:
    """All numbers in what a model wrote: 3, "3", "[3]", [3, "4"]. Rather too many than too few."""
    return frozenset(int(digits) for digits in _DIGITS.findall(str(value)))


def at_numbers(rows: Sequence[Any], operation: Any, member: str, *, above: int = 0) -> list[Any]:
    """The rows whose numbers (from 1 above `above`) are in this member of what a model wrote."""
    numbers = numbers_in(operation.get(member)) if isinstance(operation, dict) else ()
    return [rows[number - above - 1] for number in sorted(numbers) if above < number <= above + len(rows)]


def mentioned_in(text: str) -> list[UUID]:
    """IDs of entries in a reason."""
    return [UUID(found) for found in _UUID.findall(text)]


def _kind(operation: Any) -> OperationKind:
    if not isinstance(operation, dict):
        return OperationKind.UNREADABLE
    op = operation.get("op")
    return OperationKind(op) if op in _NAMED_OPS else OperationKind.OTHER


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts([*value.keys(), *value.values()])
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def _kept(item: Operation) -> Any:
    """The raw operation, or only what it refers to if it is too long."""
    if not (fault := operation_fault(item.raw)):
        return item.raw
    about = {"op": item.op, "entry": item.entry} if item.op != "refused" else {}
    return {**about, "messages": list(item.messages), "cut": fault}
