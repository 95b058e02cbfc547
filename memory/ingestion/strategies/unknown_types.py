"""Send items with an unknown type back once, with the companion's types. If the answer has no valid type, the item
stays refused, as silently choosing a type might be wrong.
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


def ask_about_types(
    items: Items,
    given: IngestionInput,
    *,
    question: Question,
    log: CallLog,
    answered: str,
    check: Callable[[str], Sequence[Operation | Refusal]],
) -> Items:
    """Ask the model once for the types. `answered`: the answer with the items. `check` parses its new answer."""
    told = "\n".join(f"- {item.raw['content']}: {item.reason}" for item in items if _lacks_type(item))
    if not told:
        return items
    complaint = (
        f"Before anything is applied: no entry is made of these.\n{told}\nGive these again, and no others."
    )
    try:
        again = check(ask_back(question, given, log, answered=answered, complaint=complaint, purpose="type"))
    except (ProviderError, UnparsableAnswer):  # stored with the call; the rest is applied
        again = []
    better = {
        content_hash(item.content): item for item in again if isinstance(item, Operation) and item.op == "add"
    }

    def replaced(item: Operation | Refusal) -> Operation | Refusal:
        found = better.get(content_hash(" ".join(item.raw["content"].split()))) if _lacks_type(item) else None
        return replace(found, remarks=(*found.remarks, REMARK)) if found else item

    return [replaced(item) for item in items]


def _lacks_type(item: Operation | Refusal) -> bool:
    return (
        isinstance(item, Refusal)
        and NO_TYPE in item.reason
        and isinstance(item.raw, dict)
        and isinstance(item.raw.get("content"), str)
    )
