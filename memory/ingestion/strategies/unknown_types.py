"""Sends back once what names a type that the companion does not have, with the types that it has. If the answer names
no valid type, it stays refused: choosing a type might silently be wrong.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from memory.entries.fingerprint import content_hash
from memory.errors import UnparsableAnswer
from memory.ingestion.calls import CallLog
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.items import NO_TYPE
from memory.ingestion.operations import Operation, Refusal
from memory.ingestion.prompt import Question
from memory.ingestion.strategies.asking import ask_back
from providers.errors import ProviderError

Items = list[Operation | Refusal]
REMARK = "its type was sent back once"


def mend_types(
    items: Items,
    given: IngestionInput,
    *,
    question: Question,
    log: CallLog,
    answered: str,
    check: Callable[[str], Sequence[Operation | Refusal]],
) -> Items:
    """`answered`: the answer that the items were read from. `check` reads what the model says then."""
    told = "\n".join(f"- {item.raw['content']}: {item.reason}" for item in items if _lacks_type(item))
    if not told:
        return items
    complaint = (
        f"Before anything is applied: no entry is made of these.\n{told}\nGive these again, and no others."
    )
    try:
        again = check(ask_back(question, given, log, answered=answered, complaint=complaint, purpose="type"))
    except (ProviderError, UnparsableAnswer):  # kept with its call; the rest is applied
        again = []
    better = {
        content_hash(item.content): item for item in again if isinstance(item, Operation) and item.op == "add"
    }

    def mended(item: Operation | Refusal) -> Operation | Refusal:
        found = better.get(content_hash(" ".join(item.raw["content"].split()))) if _lacks_type(item) else None
        return replace(found, remarks=(*found.remarks, REMARK)) if found else item

    return [mended(item) for item in items]


def _lacks_type(item: Operation | Refusal) -> bool:
    return (
        isinstance(item, Refusal)
        and NO_TYPE in item.reason
        and isinstance(item.raw, dict)
        and isinstance(item.raw.get("content"), str)
    )
