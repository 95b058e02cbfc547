"""One call per batch: the model sees the whole scratchpad and answers with operations.

If there is an archive, it also sees what a search finds there for the new messages, so that it can change that.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from memory.entries.words import names_in_text
from memory.ingestion.calls import CallLog
from memory.ingestion.candidates import related_entries
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.items import with_key
from memory.ingestion.operations import Operation, check_operations, parse_answer
from memory.ingestion.prompt import OPERATIONS, Question, answer_schema
from memory.ingestion.strategies.asking import ask_for_operations
from memory.ingestion.strategies.base import Proposal, Strategy
from memory.models import USER_SUBJECT, Tier

AGAIN = (
    "Give the operations on these entries again, and no others, with that put back in. Leave out only what the new "
    'messages contradict, with that as "reason"; where all that the entry said has ended, use replace.'
)


class OperationsStrategy(Strategy):
    slug = "operations"

    def propose(self, given: IngestionInput, log: CallLog, *, purpose: str) -> Proposal:
        if given.has_archive:
            found = related_entries(given, tiers=(Tier.ARCHIVE,))
            given = replace(given, entries=(*given.entries, *found))
        items = ask_for_operations(
            _question(given.ingestion.type_names),
            given,
            log,
            purpose=purpose,
            check=lambda text: _with_keys(check_operations(parse_answer(text), given), given),
            again=AGAIN,
            reasoned=True,
        )
        return Proposal(given.entries, _of_one_subject(items, given))


def _with_keys(items: Sequence[Operation], given: IngestionInput) -> list[Operation]:
    """Put their keys before values that stand alone, except where the same text merges entries."""
    times = Counter([*(item.content for item in items), *(entry.content for entry in given.entries)])

    def told(item: Operation) -> Operation:
        key = item.key or (given.entries[item.entry - 1].key if item.entry else None)
        return replace(item, content=with_key(item.content, key))

    return [told(item) if times[item.content] == 1 else item for item in items]


def _of_one_subject(items: Sequence[Operation], given: IngestionInput) -> list[Operation]:
    """Updates to the same text merge entries: give them the subject of the first one, unless they have their own.

    But "Likes tea" about two people, which names neither, stays two entries.
    """
    subjects: dict[str, str] = {}

    def told(item: Operation) -> Operation:
        if item.op != "update" or item.entry is None:
            return item
        about = item.subject or given.entries[item.entry - 1].subject
        if about != USER_SUBJECT and not names_in_text(item.content, about):
            return item
        first = subjects.setdefault(item.content, about)
        return replace(item, subject=item.subject or first)

    return [told(item) for item in items]


@lru_cache(maxsize=64)
def _question(types: tuple[str, ...]) -> Question:
    return replace(OPERATIONS, schema=answer_schema(types))
