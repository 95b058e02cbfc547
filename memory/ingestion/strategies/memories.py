"""What the strategies of one call have in common: an answer of memories to keep, and of entries to forget."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memory.errors import UnparsableAnswer
from memory.ingestion.calls import CallLog
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import Operation, Refusal, check_each, parse_object, understand
from memory.ingestion.prompt import Question
from memory.ingestion.strategies.asking import ask
from memory.ingestion.strategies.mending import mend_losses
from memory.ingestion.strategies.schema_parts import FORGET, NUMBERS, TEXT, WISHES, answer_of, list_of
from memory.ingestion.strategies.unknown_types import mend_types

ENTRY = {"type": "integer", "description": "number of the shown entry it replaces"}


def memories_schema(*required: str, **own: dict[str, Any]) -> dict[str, Any]:
    """The answer's schema: what every memory says, and what a strategy has each say beside that.

    `entry`: the memory says this shown entry anew, so it is updated; without it the memory is added.
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


# What is said where memories lost something of the entries they say anew.
AGAIN = (
    "Give the memories of these entries again, and no others, with that put back in. Leave out only what the new "
    "messages contradict."
)


@dataclass(frozen=True, slots=True)
class Memories:
    """The items of an answer, as the model wrote them."""

    keep: list[Any]
    forget: list[Any]


def parse_memories(text: str) -> Memories:
    """Raises UnparsableAnswer. What is to be forgotten may be left out."""
    answer = parse_object(text, "memories")
    forget = answer.get("forget") or []
    if not isinstance(forget, list):
        raise UnparsableAnswer('"forget" is not a list.')
    return Memories(answer["memories"], forget)


def judge_memories(
    answer: Memories, given: IngestionInput, keep: Callable[[dict[str, Any]], Operation]
) -> list[Operation | Refusal]:
    """Each by itself. `keep` makes an operation of a memory, or raises RefusedItem. `given` holds what was shown."""
    items = [_named(item, "update" if _names_entry(item) else "add") for item in answer.keep]
    items += [_named(item, "delete") for item in answer.forget]
    return check_each(
        items, given, lambda item: statement(item, given) if item["op"] == "delete" else keep(item)
    )


def ask_for_memories(
    question: Question,
    given: IngestionInput,
    log: CallLog,
    *,
    purpose: str,
    keep: Callable[[dict[str, Any]], Operation],
) -> list[Operation | Refusal]:
    """What the answer's memories would do, judged; sent back once where they lost something, or have no type."""

    def check(text: str) -> list[Operation | Refusal]:
        return judge_memories(parse_memories(text), given, keep)

    items, text = ask(question, given, log, purpose=purpose, parse=lambda text: (check(text), text))
    items = mend_types(items, given, question=question, log=log, answered=text, check=check)
    return mend_losses(items, given, question=question, log=log, answered=text, again=AGAIN, check=check)


def statement(item: dict[str, Any], given: IngestionInput) -> Operation:
    """A memory that is a sentence: added, or said of an entry that was shown. Raises RefusedItem."""
    return understand(item, given, item["op"])


def _named(item: Any, op: str) -> Any:
    return {**item, "op": op} if isinstance(item, dict) else item


def _names_entry(item: Any) -> bool:
    """Models that need not name an entry write null, 0 or nothing."""
    return isinstance(item, dict) and item.get("entry") not in (None, "", 0, "0", [])
