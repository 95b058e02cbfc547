"""What strategies with a single call share: an answer with memories to keep and entries to forget."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memory.errors import UnparsableAnswer
from memory.ingestion.calls import CallLog
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import Operation, Refusal, check_each, parse_object, understand
from memory.ingestion.prompt import Question
from memory.ingestion.strategies.asking import ask
from memory.ingestion.strategies.eroded_updates import ask_about_losses
from memory.ingestion.strategies.schema_parts import FORGET, NUMBERS, TEXT, WISHES, answer_of, list_of
from memory.ingestion.strategies.unknown_types import ask_about_types

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


@dataclass(frozen=True, slots=True)
class Memories:
    """The raw items of an answer."""

    keep: list[Any]
    forget: list[Any]


def parse_memories(text: str) -> Memories:
    """Parse an answer, in which `forget` may be missing. Raises UnparsableAnswer."""
    answer = parse_object(text, "memories")
    forget = answer.get("forget") or []
    if not isinstance(forget, list):
        raise UnparsableAnswer('"forget" is not a list.')
    return Memories(answer["memories"], forget)


def judge_memories(
    answer: Memories, given: IngestionInput, keep: Callable[[dict[str, Any]], Operation]
) -> list[Operation | Refusal]:
    """Make operations. `keep` makes one from a memory, or raises RefusedItem. `given` has what was shown."""
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
    """Ask for memories and make operations. They are sent back once if they lost something or have no valid type."""

    def check(text: str) -> list[Operation | Refusal]:
        return judge_memories(parse_memories(text), given, keep)

    items, text = ask(question, given, log, purpose=purpose, parse=lambda text: (check(text), text))
    items = ask_about_types(items, given, question=question, log=log, answered=text, check=check)
    return ask_about_losses(items, given, question=question, log=log, answered=text, again=AGAIN, check=check)


def statement(item: dict[str, Any], given: IngestionInput) -> Operation:
    """Make an operation from a memory that is a sentence: an addition or an update. Raises RefusedItem."""
    return understand(item, given, item["op"])


def _named(item: Any, op: str) -> Any:
    return {**item, "op": op} if isinstance(item, dict) else item


def _names_entry(item: Any) -> bool:
    """Return whether an item names an entry. If they don't have to, models write null, 0 or nothing."""
    return isinstance(item, dict) and item.get("entry") not in (None, "", 0, "0", [])
