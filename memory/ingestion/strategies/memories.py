"""What strategies with a single call share: an answer with memories to keep and entries to forget."""

from collections.abc import Callable
from typing import Any

from memory.errors import UnparsableAnswer
from memory.ingestion.calls import CallLog
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import Operation, check_each, parse_object, understand
from memory.ingestion.prompt import Question
from memory.ingestion.strategies.asking import ask_for_operations
from memory.schema_parts import FORGET, NUMBERS, TEXT, WISHES, answer_of, list_of

ENTRY = {"type": "integer", "description": "number of the shown entry it replaces"}


def memories_schema(*required: str, **own: dict[str, Any]) -> dict[str, Any]:
    """The answer's schema: the members of every memory, and a strategy's own ones.

    `entry`: the memory rephrases this shown entry, which is updated; without it the memory is added.
    """
    memory = {
        "content": TEXT,
        **own,
        "type": TEXT,
        "subject": TEXT,
        "entry": ENTRY,
        "happens_at": TEXT,
        "messages": NUMBERS,
    }
    memories = list_of(memory, required=["content", *required, "messages"])
    return answer_of(memories=memories, forget=FORGET, wishes=WISHES)


# What the model is asked if memories lost something of the entries that they rephrase.
AGAIN = (
    "Give the memories of these entries again, and no others, with that put back in. Leave out only what the new "
    "messages contradict."
)


def ask_for_memories(
    question: Question,
    given: IngestionInput,
    log: CallLog,
    *,
    purpose: str,
    keep: Callable[[dict[str, Any]], Operation],
) -> list[Operation]:
    """Ask for memories and make operations. `keep` makes one from a memory, or raises RefusedItem."""
    return ask_for_operations(
        question,
        given,
        log,
        purpose=purpose,
        check=lambda text: check_memories(text, given, keep),
        again=AGAIN,
    )


def check_memories(
    text: str, given: IngestionInput, keep: Callable[[dict[str, Any]], Operation]
) -> list[Operation]:
    """Make operations of an answer, in which `forget` may be missing. Raises UnparsableAnswer."""
    answer = parse_object(text, "memories")
    forget = answer.get("forget") or []
    if not isinstance(forget, list):
        raise UnparsableAnswer('"forget" is not a list.')
    items = [_named(item, "update" if _names_entry(item) else "add") for item in answer["memories"]]
    items += [_named(item, "delete") for item in forget]
    return check_each(
        items, given, lambda item: statement(item, given) if item["op"] == "delete" else keep(item)
    )


def statement(item: dict[str, Any], given: IngestionInput) -> Operation:
    """Make an operation from a memory that is a sentence. Raises RefusedItem."""
    return understand(item, given, item["op"])


def _named(item: Any, op: str) -> Any:
    return {**item, "op": op} if isinstance(item, dict) else item


def _names_entry(item: Any) -> bool:
    """Return whether an item names an entry. If they don't have to, models write null, 0 or nothing."""
    return isinstance(item, dict) and item.get("entry") not in (None, "", 0, "0", [])
